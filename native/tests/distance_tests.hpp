// Distances of swept spheres: pairs on a grid, where every degenerate case occurs, and a robot among obstacles of all kinds.
#pragma once
#include "collision/build.hpp"
#include "geometry/separation.hpp"
#include "tests/runner.hpp"

namespace tests {

constexpr double kSameDistance = 1e-12;

// Distances by one pair at a time, which takes no part in what packs share.
template <int n, int m>
inline Numbers one_by_one(const Numbers& a, const Numbers& b, size_t rows) {
  Numbers out;
  for (size_t r = 0; r < rows; ++r) {
    tarsus::host::Generator<double, n> p;
    tarsus::host::Generator<double, m> q;
    for (int k = 0; k < n; ++k) p.vertex[k] = tarsus::host::vec3(a.data() + 3 * (n * r + k));
    for (int k = 0; k < m; ++k) q.vertex[k] = tarsus::host::vec3(b.data() + 3 * (m * r + k));
    tarsus::host::complete(p), tarsus::host::complete(q);
    out.push_back(tarsus::host::separation<tarsus::host::kKeepParts>(p, 0.25, q, 0.5).distance);
  }
  return out;
}

template <int n, int m>
inline void check_queries(Random& r) {
  constexpr size_t rows = 203;
  Numbers a(3 * n * rows), b(3 * m * rows);
  for (double& x : a) x = r.below(4);
  for (double& x : b) x = r.below(4);
  const Numbers expected = one_by_one<n, m>(a, b, rows);
  for (const KernelTable* table : usable_tables()) {
    tally().where = std::string("distances by ") + table->name;
    const double radius_a = 0.25;
    const Numbers radius_b(rows, 0.5);
    Numbers distance(rows), point_a(3 * rows), point_b(3 * rows), normal(3 * rows), parts(rows), alone(rows);
    PairBatch batch{{n, a.data(), &radius_a, 3 * n, 0},
                    {m, b.data(), radius_b.data(), 3 * m, 1},
                    distance.data(),
                    point_a.data(),
                    point_b.data(),
                    normal.data(),
                    parts.data()};
    table->pair_distances(batch, 0, 77);
    table->pair_distances(batch, 77, rows);
    check_close(distance, expected, kSameDistance, "a pack differs from one pair");
    Numbers lengths, units(rows, 1.0), way, apart;
    for (size_t i = 0; i < rows; ++i) {
      const double* along = normal.data() + 3 * i;
      lengths.push_back(std::sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]));
      for (int k = 0; k < 3; ++k) way.push_back(point_b[3 * i + k] - point_a[3 * i + k]), apart.push_back(distance[i] * along[k]);
    }
    check_close(lengths, units, kSameDistance, "a normal has no unit length");
    check_close(way, apart, kSameDistance, "points are not apart by the distance along the normal");
    batch.point_a = batch.point_b = batch.normal = batch.parts = nullptr, batch.distance = alone.data();
    table->pair_distances(batch, 0, rows);
    check_close(alone, expected, kSameDistance, "a distance alone differs");
  }
}

inline void test_distances() {
  Random r(5);
  check_queries<1, 1>(r), check_queries<1, 2>(r), check_queries<1, 3>(r);
  check_queries<2, 2>(r), check_queries<2, 3>(r), check_queries<3, 3>(r);
}

// A robot of random segments, a few obstacles of a few volumes, one of many, a cube and a field.
struct Surroundings {
  std::vector<int> frame, count, vertices, pair, solid, size, edge;
  Numbers vertex, radius, pose, number;
  tarsus::OwnedVolumes owned;

  void add_volumes(Random& r, int how_many, double spread) {
    count.push_back(how_many);
    for (int i = 0; i < how_many; ++i) {
      vertices.push_back(1 + r.below(3)), radius.push_back(r.uniform(0, 0.1));
      const Numbers centre = r.numbers(3, spread), around = r.numbers(9, 0.2);
      for (int k = 0; k < 9; ++k) vertex.push_back(centre[k % 3] + around[k]);
    }
  }
  void add_pose(Random& r, int kind, std::vector<int> sizes) {
    const Numbers p = r.numbers(3, 1.0);
    pose.insert(pose.end(), {0, 1, 0, -1, 0, 0, 0, 0, 1, p[0], p[1], p[2]});
    solid.push_back(kind), size.insert(size.end(), sizes.begin(), sizes.end());
  }
  void add_triangle(const Numbers& corners) {
    vertices.push_back(3), radius.push_back(0.0), vertex.insert(vertex.end(), corners.begin(), corners.end());
  }
  void add_tetrahedron(Random& r) {
    const Numbers corner{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    count.push_back(4);
    for (const auto& face : faces) {
      Numbers corners;
      for (const int i : face) corners.insert(corners.end(), corner.begin() + 3 * i, corner.begin() + 3 * i + 3);
      add_triangle(corners);
    }
    const double s = std::sqrt(1.0 / 3);
    number.insert(number.end(), {0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, 0, s, s, s, s});
    number.insert(number.end(), corner.begin(), corner.end());
    for (const int i : {0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3}) edge.push_back(i);
    add_pose(r, tarsus::kHullSolid, {4, 4, 6});
  }
  void add_field(Random& r) {
    const Numbers h = r.numbers(9, 0.3);
    auto at = [&](int i, int j) { return Numbers{0.5 * i, 0.5 * j, h[3 * j + i]}; };
    auto joined = [](const Numbers& a, const Numbers& b, const Numbers& c) {
      Numbers all = a;
      all.insert(all.end(), b.begin(), b.end()), all.insert(all.end(), c.begin(), c.end());
      return all;
    };
    count.push_back(8);
    for (int j = 0; j < 2; ++j) {
      for (int i = 0; i < 2; ++i) {
        add_triangle(joined(at(i, j), at(i + 1, j), at(i + 1, j + 1))),
            add_triangle(joined(at(i, j), at(i + 1, j + 1), at(i, j + 1)));
      }
    }
    number.push_back(0.5), number.insert(number.end(), h.begin(), h.end());
    add_pose(r, tarsus::kFieldSolid, {3, 3, 0});
  }
  std::string build(const tarsus::Model& m) {
    tarsus::VolumeArrays a{};
    a.segments = static_cast<int>(count.size()), a.robots = static_cast<int>(frame.size());
    a.frame = frame.data(), a.count = count.data(), a.volumes = static_cast<int>(radius.size());
    a.vertices = vertices.data(), a.vertex = vertex.data(), a.radius = radius.data(), a.pose = pose.data();
    a.pairs = static_cast<int>(pair.size() / 2), a.pair = pair.data(), a.solid = solid.data(), a.size = size.data();
    a.numbers = static_cast<int>(number.size()), a.number = number.data();
    a.edge_entries = static_cast<int>(edge.size()), a.edge = edge.data();
    return owned.build(a, m);
  }
};

inline void fill(Surroundings& s, const Tree& t, Random& r) {
  for (int f = 0; f < t.frames(); ++f) s.frame.push_back(f), s.add_volumes(r, 1 + r.below(3), 0.1);
  const int robots = t.frames();
  for (int k = 0; k < 2; ++k) s.add_volumes(r, 1 + k, 0.3), s.add_pose(r, -1, {0, 0, 0});
  s.add_volumes(r, 37, 1.0), s.add_pose(r, tarsus::kSurfaceOnly, {0, 0, 0});
  s.add_tetrahedron(r), s.add_field(r);
  for (int i = 0; i < robots; ++i) {
    for (int j = i + 1; j < static_cast<int>(s.count.size()); ++j) s.pair.push_back(i), s.pair.push_back(j);
  }
}

inline void test_robots_among_obstacles() {
  unsigned seed = 40;
  for (const Wish& wish :
       {Wish{"free tree", 7, tarsus::kFree}, Wish{"coupled tree", 8, tarsus::kFixed, {tarsus::kRevolute}, 0.5, 0.4, 0.4}}) {
    Random r(++seed);
    const Tree t = random_tree(wish, r);
    const auto model = build(t);
    Surroundings around;
    fill(around, t, r);
    const std::string wrong = around.build(model->tables);
    check(wrong.empty(), "volumes do not build: " + wrong);
    Arguments all;
    std::vector<Arguments> states;
    all.volumes = &around.owned.table;
    for (int k = 0; k < 11; ++k) {
      states.push_back(random_arguments(t, r));
      states.back().volumes = all.volumes;
      all.q.insert(all.q.end(), states.back().q.begin(), states.back().q.end());
    }
    for (const KernelTable* table : usable_tables()) {
      tally().where = std::string("obstacles by ") + table->name;
      const Runner run(*table, *model);
      const size_t pairs = around.pair.size() / 2;
      for (const char* name : {"segment_distances", "segment_witnesses", "segment_gradients", "segment_clearance"}) {
        const int operation = operation_of(name);
        const Outcome together = run.rows(operation, all, 11);
        const size_t size = together.out.size() / 11;
        for (int k = 0; k < 11; ++k) {
          const Numbers row(together.out.begin() + k * size, together.out.begin() + (k + 1) * size);
          const Numbers alone = run.single(operation, states[k]).out;
          const size_t compared = std::strcmp(name, "segment_clearance") == 0 ? 1 : pairs;  // points of parallel parts may differ
          check_close(Numbers(row.begin(), row.begin() + compared), Numbers(alone.begin(), alone.begin() + compared),
                      kSameDistance, std::string(name) + " of a batch differs from that of a state");
          check(std::all_of(alone.begin(), alone.end(), [](double x) { return std::isfinite(x); }),
                std::string(name) + " is not finite");
        }
      }
      for (const Arguments& state : states) {
        const Numbers distance = run.single(operation_of("segment_distances"), state).out;
        const Numbers least = run.single(operation_of("segment_clearance"), state).out;
        check_close({least[0]}, {*std::min_element(distance.begin(), distance.end())}, kSameDistance,
                    "clearance is not the smallest distance");
      }
    }
  }
  Surroundings wrong;
  Random r(1);
  const Tree t = random_tree(Wish{"chain", 3}, r);
  const auto model = build(t);
  wrong.frame = {99}, wrong.add_volumes(r, 1, 0.1);
  check(!wrong.build(model->tables).empty(), "a frame that is none is accepted");
}

}  // namespace tests
