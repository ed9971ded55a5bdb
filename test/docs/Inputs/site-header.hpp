//===- site-header.hpp - a header for site.test --------------------------===//
///
/// \file
/// What the header is for.
///
///     example();
///
//===----------------------------------------------------------------------===//
#ifndef SITE_HPP
#define SITE_HPP

#include <string>

namespace site {

// not shown
#define SITE_LIMIT 8

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// A shape.
class Shape : public Base {
public:
  explicit Shape(int size, int other = 2)
      : Base(size), size(size) {
    if (size) {
      call();
    }
  }
  /// Its size.
  int getSize() const { return size; }

private:
  int size;
};

/// One comment
/// for two functions.
int first(int a);
int second(int a,
           int b);

typedef void (*callback)(void *user);
typedef struct opaque opaque;
enum kind { ONE };
struct late;

} // namespace site
#endif // SITE_HPP
