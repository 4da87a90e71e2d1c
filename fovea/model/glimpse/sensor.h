// GlimpseSensor: the patches that a glimpse sees of an image of n x n pixels, 0 outside (room model/glimpse).
// glimpse.h alone calls it. At a point (x,y), with (-1,-1) the upper left corner of the image and (1,1) the lower
// right one, and scale s = 0 .. S-1 of patches k x k:
//
//   corner   X_s = ⌊(x+1)/2 n - 2^s k/2 + 1/2⌋      Y_s likewise
//   patch_s(i,j) = 4^-s Σ of the image over rows Y_s + 2^s i .. Y_s + 2^s (i+1) - 1,
//                                   and columns X_s + 2^s j .. X_s + 2^s (j+1) - 1      i, j = 0 .. k-1
//
// A patch is a square of 2^s k pixels a side, as nearly around the point as whole pixels allow.
//
// The first scale is sharp; each further one sees twice as wide, as coarsely. Nothing flows back: a point is rounded
// to pixels.
#pragma once

#include "fovea/base/team.h"
#include "fovea/math/view.h"

namespace fovea {

struct GlimpseSensor {
  Index side = 28;   // n
  Index patch = 8;   // k
  Index scales = 1;  // S

  Index width() const { return scales * patch * patch; }

  // Where the square of a scale begins along one axis.
  Index corner(double place, Index scale) const;

  // images (B,n²), places (B,2) as (x,y) -> patches (B,S k²), scale by scale and row by row
  template <class T>
  void read_patches(Team& team, Matrix<const T> images, Matrix<const T> places, Matrix<T> patches) const;

  // The same weight on each pixel of the image that the sharp patch covers, (n²); all of them sum to 1.
  template <class T>
  void cover(T x, T y, Vector<T> weights) const;
};

}  // namespace fovea
