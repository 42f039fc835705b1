#include "collision/build.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "geometry/generator.hpp"

namespace tarsus {
namespace {

// Entries of a primitive and its centre in the memory of a sweep; as kPlacedNumbers of placed_volumes.hpp, which checks it.
constexpr size_t kPlaced[] = {0, 6, 13, 33};
constexpr size_t kSlack = 64;  // entries behind each piece of memory, where whole packs read beyond the end

// Coordinates of a frame's node.
void to_node(const FrameTable& f, const double* p, double* out) {
  for (int k = 0; k < 3; ++k) {
    out[k] = f.position[k] + f.rotation[k] * p[0] + f.rotation[3 + k] * p[1] + f.rotation[6 + k] * p[2];
  }
}

// A sphere around the primitive: about the middle of its longest edge, which is good enough for bounds and is a point of it.
void enclose(Volume& v) {
  auto squared = [](const double* a, const double* b) {
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
  };
  int first = 0, second = 0;
  double longest = 0.0;
  for (int i = 0; i < v.vertices; ++i) {
    for (int j = i + 1; j < v.vertices; ++j) {
      const double length = squared(v.vertex + 3 * i, v.vertex + 3 * j);
      if (length >= longest) longest = length, first = i, second = j;
    }
  }
  for (int k = 0; k < 3; ++k) v.centre[k] = 0.5 * (v.vertex[3 * first + k] + v.vertex[3 * second + k]);
  double most = 0.0;
  for (int i = 0; i < v.vertices; ++i) most = std::max(most, squared(v.centre, v.vertex + 3 * i));
  v.reach = std::sqrt(most) * (1 + 1e-12);
}

bool within(int x, int end) { return x >= 0 && x < end; }

// A sphere around spheres.
struct Sphere {
  double centre[3], reach;
};
Sphere around(const std::vector<Sphere>& all) {
  Sphere s{};
  for (const Sphere& one : all) {
    for (int k = 0; k < 3; ++k) s.centre[k] += one.centre[k] / static_cast<double>(all.size());
  }
  for (const Sphere& one : all) {
    double square = 0;
    for (int k = 0; k < 3; ++k) square += (one.centre[k] - s.centre[k]) * (one.centre[k] - s.centre[k]);
    s.reach = std::max(s.reach, (std::sqrt(square) + one.reach) * (1 + 1e-12));
  }
  return s;
}
void enclose(Segment& segment, const std::vector<Sphere>& all) {
  const Sphere s = around(all);
  std::copy(s.centre, s.centre + 3, segment.centre), segment.reach = s.reach;
}

// Triangles in the order of the leaves of a tree that halves them along the longest side of the box of their centres.
struct TreeOrder {
  const std::vector<host::Generator<double, 3>>& triangle;
  int leaves;
  std::vector<std::vector<int>> leaf;

  double middle(int i, int axis) const {
    double sum = 0;
    for (const auto& v : triangle[i].vertex) sum += (&v.x)[axis];
    return sum;
  }
  void split(std::vector<int>& order, size_t begin, size_t end, int node) {
    if (node >= leaves) {
      leaf[node - leaves].assign(order.begin() + begin, order.begin() + end);
      return;
    }
    int longest = 0;
    double most = -1;
    for (int axis = 0; axis < 3; ++axis) {
      double low = 1e300, high = -1e300;
      for (size_t i = begin; i < end; ++i)
        low = std::min(low, middle(order[i], axis)), high = std::max(high, middle(order[i], axis));
      if (high - low > most) most = high - low, longest = axis;
    }
    const size_t half = begin + (end - begin + 1) / 2;
    std::nth_element(order.begin() + begin, order.begin() + half, order.begin() + end,
                     [&](int i, int j) { return middle(i, longest) < middle(j, longest); });
    split(order, begin, half, 2 * node), split(order, half, end, 2 * node + 1);
  }
};

}  // namespace

// An obstacle of many volumes, or a solid: its triangles in a tree of boxes.
std::string OwnedVolumes::add_dense(const VolumeArrays& a, int obstacle, int first, int count) {
  static_assert(sizeof(host::Generator<double, 3>) == kDenseNumbers * sizeof(double));
  const int* size = a.size + 3 * obstacle;
  const int solid = a.solid[obstacle];
  Dense memory;
  DenseSegment d{};
  // 1. triangles
  std::vector<host::Generator<double, 3>> triangle(count);
  std::vector<int> order(count);
  for (int i = 0; i < count; ++i) {
    const int vertices = a.vertices[first + i];
    for (int k = 0; k < 3; ++k) {
      const double* p = a.vertex + 9 * (size_t)(first + i) + 3 * std::min(k, vertices - 1);
      triangle[i].vertex[k] = {p[0], p[1], p[2]};
    }
    host::complete(triangle[i]);
    order[i] = i;
  }
  // 2. the tree
  d.solid = solid, d.leaves = 1, d.most_radius = 0.0;
  while (d.leaves * kDenseLeaf < count) d.leaves *= 2;
  TreeOrder tree{triangle, d.leaves, std::vector<std::vector<int>>(d.leaves)};
  tree.split(order, 0, order.size(), 1);
  d.volumes = d.leaves * kDenseLeaf;
  memory.row.resize((size_t)d.volumes * kDenseNumbers + kSlack), memory.radius.resize(d.volumes);
  memory.box.assign(12 * (size_t)d.leaves, 0.0);
  for (int leaf = 0; leaf < d.leaves; ++leaf) {
    const std::vector<int>& here = tree.leaf[leaf];
    double* box = memory.box.data() + 6 * (size_t)(d.leaves + leaf);
    for (int k = 0; k < 3; ++k) box[k] = 1e300, box[3 + k] = -1e300;
    for (int i = 0; i < kDenseLeaf; ++i) {
      const int which = here[std::min<size_t>(i, here.size() - 1)], at = leaf * kDenseLeaf + i;
      std::memcpy(memory.row.data() + (size_t)at * kDenseNumbers, &triangle[which], kDenseNumbers * sizeof(double));
      const double radius = memory.radius[at] = a.radius[first + which];
      d.most_radius = std::max(d.most_radius, radius);
      for (const auto& v : triangle[which].vertex) {
        for (int k = 0; k < 3; ++k) {
          box[k] = std::min(box[k], (&v.x)[k] - radius), box[3 + k] = std::max(box[3 + k], (&v.x)[k] + radius);
        }
      }
    }
  }
  for (int i = d.leaves - 1; i > 0; --i) {
    for (int k = 0; k < 3; ++k) {
      memory.box[6 * i + k] = std::min(memory.box[12 * i + k], memory.box[12 * i + 6 + k]);
      memory.box[6 * i + 3 + k] = std::max(memory.box[12 * i + 3 + k], memory.box[12 * i + 9 + k]);
    }
  }
  // 3. the solid
  int numbers = 0, edges = 0;
  if (solid == kHullSolid) d.planes = size[0], d.corners = size[1], d.edges = size[2];
  if (solid == kFieldSolid) d.columns = size[0], d.rows = size[1];
  if (solid == kHullSolid) numbers = 4 * d.planes + 3 * d.corners, edges = 2 * d.edges;
  if (solid == kFieldSolid) numbers = 1 + d.columns * d.rows;
  if (numbers < 0 || edges < 0 || number_at_ + numbers > a.numbers || edge_at_ + edges > a.edge_entries) {
    return "numbers of solids do not fit together";
  }
  if (solid == kFieldSolid && (d.columns < 2 || d.rows < 2)) return "a field has less than two points each way";
  memory.number.assign(a.number + number_at_, a.number + number_at_ + numbers);
  memory.edge.assign(a.edge + edge_at_, a.edge + edge_at_ + edges);
  number_at_ += numbers, edge_at_ += edges;
  for (const int corner : memory.edge) {
    if (!within(corner, d.corners)) return "an edge of a hull has no corners";
  }
  dense_memory_.push_back(std::move(memory));
  const Dense& kept = dense_memory_.back();
  d.row = kept.row.data(), d.radius = kept.radius.data(), d.box = kept.box.data(), d.edge = kept.edge.data();
  if (solid == kHullSolid) d.plane = kept.number.data(), d.corner = d.plane + 4 * (size_t)d.planes;
  if (solid == kFieldSolid) d.spacing = kept.number[0], d.height = kept.number.data() + 1;
  dense_.push_back(d);
  // 4. a sphere around all of it
  Sphere s{};
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    s.centre[k] = 0.5 * (d.box[6 + k] + d.box[9 + k]);
    square += 0.25 * (d.box[9 + k] - d.box[6 + k]) * (d.box[9 + k] - d.box[6 + k]);
  }
  s.reach = std::sqrt(square);
  segments_.push_back({0, 0, -1, obstacle, static_cast<int>(dense_.size()) - 1, {}, 0});
  enclose(segments_.back(), {s});
  return "";
}

// Pairs of the volumes of all pairs of segments, by kind.
void OwnedVolumes::add_pairs(const VolumeArrays& a) {
  std::vector<VolumePair> kinds[9];
  for (int k = 0; k < a.pairs; ++k) {
    const Segment &from = segments_[pairs_[k].from], &to = segments_[pairs_[k].to];
    table.several = table.several || from.volumes * to.volumes > 1;
    for (int i = from.first; i < from.first + from.volumes; ++i) {
      for (int j = to.first; j < to.first + to.volumes; ++j) {
        const bool flipped = volumes_[i].vertices > volumes_[j].vertices;
        const int first = flipped ? j : i, second = flipped ? i : j;
        kinds[3 * (volumes_[first].vertices - 1) + volumes_[second].vertices - 1].push_back({first, second, k, flipped});
      }
    }
  }
  for (int kind = 0; kind < 9; ++kind) {
    table.kind_begin[kind] = static_cast<int>(volume_pairs_.size());
    volume_pairs_.insert(volume_pairs_.end(), kinds[kind].begin(), kinds[kind].end());
  }
  table.kind_begin[9] = static_cast<int>(volume_pairs_.size());
}

std::string OwnedVolumes::build(const VolumeArrays& a, const Model& m) {
  // 1. segments and their volumes
  size_t place = 0;
  int at = 0;
  for (int s = 0; s < a.segments; ++s) {
    const bool robot = s < a.robots;
    if (robot && !within(a.frame[s], m.frames)) return "a segment has no frame of the model";
    if (a.count[s] < 1 || at + a.count[s] > a.volumes) return "numbers of volumes do not fit together";
    const FrameTable* frame = robot ? m.frame + a.frame[s] : nullptr;
    if (!robot && a.solid[s - a.robots] >= kSurfaceOnly) {
      for (int i = at; i < at + a.count[s]; ++i) {
        if (a.vertices[i] < 1 || a.vertices[i] > 3) return "a volume has neither one, two nor three vertices";
      }
      const std::string wrong = add_dense(a, s - a.robots, at, a.count[s]);
      if (!wrong.empty()) return wrong;
      at += a.count[s];
      continue;
    }
    std::vector<Sphere> spheres;
    segments_.push_back(
        {static_cast<int>(volumes_.size()), a.count[s], robot ? frame->node : -1, robot ? -1 : s - a.robots, -1, {}, 0});
    for (const int end = at + a.count[s]; at < end; ++at) {
      Volume v{};
      v.vertices = a.vertices[at], v.radius = a.radius[at];
      if (v.vertices < 1 || v.vertices > 3) return "a volume has neither one, two nor three vertices";
      v.node = robot ? frame->node : -1, v.obstacle = robot ? -1 : s - a.robots;
      for (int k = 0; k < v.vertices; ++k) {
        const double* p = a.vertex + 9 * (size_t)at + 3 * k;
        if (robot) {
          to_node(*frame, p, v.vertex + 3 * k);
        } else {
          std::copy(p, p + 3, v.vertex + 3 * k);
        }
      }
      enclose(v);
      v.place = place, place += kPlaced[v.vertices];
      volumes_.push_back(v);
      spheres.push_back({{v.centre[0], v.centre[1], v.centre[2]}, v.reach + v.radius});
    }
    enclose(segments_.back(), spheres);
  }
  if (at != a.volumes) return "numbers of volumes do not fit together";
  // 2. pairs
  for (int k = 0; k < a.pairs; ++k) {
    const SegmentPair pair{a.pair[2 * k], a.pair[2 * k + 1]};
    if (!within(pair.from, a.robots) || !within(pair.to, a.segments)) return "a pair has no segments";
    pairs_.push_back(pair);
  }
  add_pairs(a);
  // 3. the table
  poses_.assign(a.pose, a.pose + (size_t)kPoseNumbers * (a.segments - a.robots));
  table.serial = m.serial;
  table.volumes = static_cast<int>(volumes_.size()), table.robots = a.robots, table.segments = a.segments, table.pairs = a.pairs,
  table.obstacles = a.segments - a.robots;
  table.volume = volumes_.data(), table.segment = segments_.data(), table.pair = pairs_.data();
  table.obstacle_pose = poses_.data(), table.dense = dense_.data();
  table.volume_pairs = table.kind_begin[9], table.volume_pair = volume_pairs_.data();
  table.placed = place + kSlack;
  table.scratch = table.placed + 10 * (size_t)a.pairs + 3 * (size_t)a.segments + 2 * (size_t)table.volume_pairs + 2 * kSlack;
  return "";
}

}  // namespace tarsus
