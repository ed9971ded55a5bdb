//===- Page.h - pages of HTML that need nothing else ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A page is one file without scripts, and asks the network for nothing. It is also well-formed
/// XML. This is for tools; libtssart has none of it.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_PAGE_H
#define TSSA_RUNTIME_PAGE_H

#include <string>
#include <string_view>

namespace tssa::runtime {

/// Returns untrusted text as HTML and XML may have it, between tags and in quotes: at most `most`
/// bytes of it, valid UTF-8, without control characters.
std::string escapeMarkup(std::string_view text, size_t most = 80);

/// Returns the page to its first heading, which is the escaped `title`. `style` is added to the
/// rules that all pages have: of text, tiles, cards, tables and bars.
std::string beginPage(std::string_view title, std::string_view style);
std::string endPage();

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_PAGE_H
