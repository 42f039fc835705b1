// Rows of vectors, vector after vector in memory, to packs and back.
#pragma once
#include "dispatch/rows.hpp"
#include "math/vec3.hpp"

namespace tarsus::TARSUS_ISA {

// Entries of packs that a row of n takes when whole blocks are moved.
constexpr size_t whole_blocks(size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Reads kLanes rows into packs in whole blocks: rows must be readable and `packs` writeable for whole_blocks(n) entries.
TARSUS_INLINE void load_blocks(const double* const* row, size_t n, Pack* packs) {
  for (size_t j = 0; j < n; j += kLanes) {
    const double* block[kLanes];
    TARSUS_UNROLL
    for (int l = 0; l < kLanes; ++l) block[l] = row[l] + j;
    transpose(block, packs + j);
  }
}

// Lanes of x, y and z in turns, as three packs that follow each other.
TARSUS_INLINE void interleave(const Vec3<Pack>& v, Pack (&rows)[3]) {
#if defined(__AVX512F__)
  const Pack a = __builtin_shufflevector(v.x, v.y, 0, 8, 0, 1, 9, 0, 2, 10),
             b = __builtin_shufflevector(v.x, v.y, 0, 3, 11, 0, 4, 12, 0, 5),
             c = __builtin_shufflevector(v.x, v.y, 13, 0, 6, 14, 0, 7, 15, 0);
  rows[0] = __builtin_shufflevector(a, v.z, 0, 1, 8, 3, 4, 9, 6, 7);
  rows[1] = __builtin_shufflevector(b, v.z, 10, 1, 2, 11, 4, 5, 12, 7);
  rows[2] = __builtin_shufflevector(c, v.z, 0, 13, 2, 3, 14, 5, 6, 15);
#elif defined(__AVX2__)
  const Pack a = __builtin_shufflevector(v.x, v.y, 0, 4, 0, 1), b = __builtin_shufflevector(v.y, v.z, 1, 5, 0, 2),
             c = __builtin_shufflevector(v.x, v.y, 0, 3, 7, 0);
  rows[0] = __builtin_shufflevector(a, v.z, 0, 1, 4, 3);
  rows[1] = __builtin_shufflevector(b, v.x, 0, 1, 6, 3);
  rows[2] = __builtin_shufflevector(c, v.z, 6, 1, 2, 7);
#else
  rows[0] = __builtin_shufflevector(v.x, v.y, 0, 2);
  rows[1] = __builtin_shufflevector(v.z, v.x, 0, 3);
  rows[2] = __builtin_shufflevector(v.y, v.z, 1, 3);
#endif
}

TARSUS_INLINE void store_vectors(double* to, const Vec3<Pack>& v) {
  Pack rows[3];
  interleave(v, rows);
  for (int k = 0; k < 3; ++k) store(to + k * kLanes, rows[k]);
}

// The other way: entries of three packs that follow each other, every third one in turns.
TARSUS_INLINE Vec3<Pack> separate(const Pack& r, const Pack& s, const Pack& t) {
#if defined(__AVX512F__)
  const Pack x = __builtin_shufflevector(r, s, 0, 3, 6, 9, 12, 15, 0, 0),
             y = __builtin_shufflevector(r, s, 1, 4, 7, 10, 13, 0, 0, 0),
             z = __builtin_shufflevector(r, s, 2, 5, 8, 11, 14, 0, 0, 0);
  return {__builtin_shufflevector(x, t, 0, 1, 2, 3, 4, 5, 10, 13), __builtin_shufflevector(y, t, 0, 1, 2, 3, 4, 8, 11, 14),
          __builtin_shufflevector(z, t, 0, 1, 2, 3, 4, 9, 12, 15)};
#elif defined(__AVX2__)
  const Pack x = __builtin_shufflevector(r, s, 0, 3, 6, 0), y = __builtin_shufflevector(r, s, 1, 4, 7, 0),
             z = __builtin_shufflevector(r, s, 2, 5, 0, 0);
  return {__builtin_shufflevector(x, t, 0, 1, 2, 5), __builtin_shufflevector(y, t, 0, 1, 2, 6),
          __builtin_shufflevector(z, t, 0, 1, 4, 7)};
#else
  return {__builtin_shufflevector(r, s, 0, 3), __builtin_shufflevector(r, t, 1, 2), __builtin_shufflevector(s, t, 0, 3)};
#endif
}
TARSUS_INLINE Vec3<Pack> load_vectors(const double* from) {
  return separate(load<Pack>(from), load<Pack>(from + kLanes), load<Pack>(from + 2 * kLanes));
}

// Entries of two packs that follow each other: the even ones, then the odd ones.
TARSUS_INLINE void separate(const Pack& r, const Pack& s, Pack& even, Pack& odd) {
#if defined(__AVX512F__)
  even = __builtin_shufflevector(r, s, 0, 2, 4, 6, 8, 10, 12, 14), odd = __builtin_shufflevector(r, s, 1, 3, 5, 7, 9, 11, 13, 15);
#elif defined(__AVX2__)
  even = __builtin_shufflevector(r, s, 0, 2, 4, 6), odd = __builtin_shufflevector(r, s, 1, 3, 5, 7);
#else
  even = __builtin_shufflevector(r, s, 0, 2), odd = __builtin_shufflevector(r, s, 1, 3);
#endif
}

// Rows of one, two or three vectors.
TARSUS_INLINE void load_rows_of_vectors(const double* from, Vec3<Pack> (&v)[1]) { v[0] = load_vectors(from); }
TARSUS_INLINE void load_rows_of_vectors(const double* from, Vec3<Pack> (&v)[2]) {
  const Vec3<Pack> r = load_vectors(from), s = load_vectors(from + 3 * kLanes);
  separate(r.x, s.x, v[0].x, v[1].x), separate(r.y, s.y, v[0].y, v[1].y), separate(r.z, s.z, v[0].z, v[1].z);
}
TARSUS_INLINE void load_rows_of_vectors(const double* from, Vec3<Pack> (&v)[3]) {
  const Vec3<Pack> r = load_vectors(from), s = load_vectors(from + 3 * kLanes), t = load_vectors(from + 6 * kLanes);
  const Vec3<Pack> x = separate(r.x, s.x, t.x), y = separate(r.y, s.y, t.y), z = separate(r.z, s.z, t.z);
  v[0] = {x.x, y.x, z.x}, v[1] = {x.y, y.y, z.y}, v[2] = {x.z, y.z, z.z};
}

}  // namespace tarsus::TARSUS_ISA
