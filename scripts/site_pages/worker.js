// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Browsers start no workers for pages that are opened as files. The theme's search wants one: in such a page, this class takes
// the place of Worker and runs the script in a hidden frame.
class FrameWorker extends EventTarget {
  constructor(url) {
    super();
    const script = new URL(url, document.baseURI).href;
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    this.receive = (event) => {
      if (event.source !== this.frame.contentWindow) return;
      this.dispatchEvent(new MessageEvent("message", { data: event.data }));
      if (this.onmessage) this.onmessage(event);
    };
    window.addEventListener("message", this.receive);
    document.body.appendChild(this.frame);
    this.loaded = this.load(script);
  }

  // What a worker has beside what a window has: posts go to the page, and scripts are loaded one after the other.
  load(script) {
    const inside = this.frame.contentWindow;
    const add = (url) => new Promise((resolve, reject) => {
      const element = inside.document.createElement("script");
      element.src = new URL(url, script).href;
      element.onload = resolve;
      element.onerror = () => reject(new Error(`cannot load ${element.src}`));
      inside.document.body.appendChild(element);
    });
    inside.postMessage = (data) => {
      window.dispatchEvent(new MessageEvent("message", { data, source: inside }));
    };
    inside.importScripts = (...urls) => urls.reduce((before, url) => before.then(() => add(url)), Promise.resolve());
    return add(script);
  }

  postMessage(data) {
    const inside = this.frame.contentWindow;
    this.loaded.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
  }

  terminate() {
    window.removeEventListener("message", this.receive);
    this.frame.remove();
  }
}

if (location.protocol === "file:") window.Worker = FrameWorker;
