// Triangles of shapes. A corner is 7 numbers: position, normal, and the cap (-1, 0, 1) of a capsule it
// belongs to. Boxes, spheres, capsules and cylinders share one mesh each, and cones one per slope, and are stretched by
// their instances' size (x, y, z, distance of the caps); a hull has its own mesh.

const KIND_BOX = 0;
const KIND_SPHERE = 1;
const KIND_CAPSULE = 2;
const KIND_HULL = 3;

function boxMesh() {
  const corners = [];
  const triangles = [];
  for (let side = 0; side < 6; side++) {
    const axis = side >> 1;
    const sign = side & 1 ? -1 : 1;
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    const first = corners.length / 7;
    for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
      const p = [0, 0, 0];
      const n = [0, 0, 0];
      p[axis] = sign;
      p[u] = a * sign;
      p[v] = b;
      n[axis] = sign;
      corners.push(...p, ...n, 0);
    }
    triangles.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }
  return { kind: KIND_BOX, corners, triangles };
}

// A unit ball cut at its equator, so that its halves can be moved apart.
function roundMesh(kind) {
  const around = 28;
  const rows = 16;
  const corners = [];
  const triangles = [];
  for (let row = 0; row <= rows + 1; row++) {
    const isUpper = row <= rows / 2;
    const polar = (Math.PI * (isUpper ? row : row - 1)) / rows;
    for (let column = 0; column <= around; column++) {
      const turn = (2 * Math.PI * column) / around;
      const n = [Math.sin(polar) * Math.sin(turn), Math.cos(polar), Math.sin(polar) * Math.cos(turn)];
      corners.push(...n, ...n, isUpper ? 1 : -1);
    }
  }
  const width = around + 1;
  for (let row = 0; row <= rows; row++)
    for (let column = 0; column < around; column++) {
      const [a, b] = [row * width + column, (row + 1) * width + column];
      if (row !== 0) triangles.push(a, b, a + 1);
      if (row !== rows) triangles.push(a + 1, b, b + 1);
    }
  return { kind, corners, triangles };
}

// The solid between a disc of radius `top` at y = 1 and one of radius 1 at y = -1, its side's normals those of the solid
// stretched to `slope` times as wide as high. Painted like a capsule, so that one sees it roll.
function frustumMesh(top, slope) {
  const around = 32;
  const corners = [];
  const triangles = [];
  const [across, along] = unit3([2, (1 - top) * slope, 0]);
  const place = (column) => {
    const turn = (2 * Math.PI * column) / around;
    return [Math.sin(turn), Math.cos(turn)];
  };
  for (let column = 0; column <= around; column++) {
    const [s, c] = place(column);
    const normal = [s * across, along, c * across];
    corners.push(s, -1, c, ...normal, 0, s * top, 1, c * top, ...normal, 0);
  }
  for (let column = 0; column < around; column++) {
    const a = 2 * column;
    triangles.push(a, a + 2, a + 1);
    if (top > 0) triangles.push(a + 1, a + 2, a + 3);
  }
  for (const [radius, y] of [[1, -1], [top, 1]]) {
    if (radius === 0) continue;
    const first = corners.length / 7;
    for (let column = 0; column < around; column++) {
      const [s, c] = place(column);
      corners.push(s * radius, y, c * radius, 0, y, 0, 0);
    }
    for (let k = 1; k + 1 < around; k++)
      triangles.push(first, first + (y > 0 ? k : k + 1), first + (y > 0 ? k + 1 : k));
  }
  return { kind: KIND_CAPSULE, corners, triangles };
}

function hullMesh({ vertices, faces }) {
  const corners = [];
  const triangles = [];
  for (const face of faces) {
    const points = face.map((i) => vertices[i]);
    let normal = [0, 0, 0];
    for (let i = 1; i + 1 < points.length; i++)
      normal = add3(normal, cross3(sub3(points[i], points[0]), sub3(points[i + 1], points[0])));
    normal = unit3(normal);
    const first = corners.length / 7;
    for (const p of points) corners.push(...p, ...normal, 0);
    for (let i = 1; i + 1 < points.length; i++) triangles.push(first, first + i, first + i + 1);
  }
  return { kind: KIND_HULL, corners, triangles };
}

// The name, size and mesh of a shape; serde writes a shape as { Name: { fields } }.
function shapeOf(shape) {
  const [name, fields] = Object.entries(shape)[0];
  if (name === "Box") return { name, key: "box", size: [...fields.half_extents, 0], mesh: boxMesh };
  if (name === "Sphere") {
    const r = fields.radius;
    return { name, key: "sphere", size: [r, r, r, 0], mesh: () => roundMesh(KIND_SPHERE) };
  }
  if (name === "Capsule") {
    const r = fields.radius;
    return { name, key: "capsule", size: [r, r, r, fields.half_length], mesh: () => roundMesh(KIND_CAPSULE) };
  }
  if (name === "Cylinder" || name === "Cone") {
    const [r, h] = [fields.radius, fields.half_height];
    const top = name === "Cone" ? 0 : 1;
    // Slopes that look the same share a mesh.
    const slope = top ? 1 : 1.1 ** Math.round(Math.log(r / h) / Math.log(1.1));
    return { name, key: `${name} ${slope}`, size: [r, h, r, 0], mesh: () => frustumMesh(top, slope) };
  }
  if (name === "Hull") return { name, key: null, size: [1, 1, 1, 0], fields, mesh: () => hullMesh(fields) };
  return { name, fields };
}

// The box around a shape in its own frame as [low, high], or null for a plane.
function localBox({ name, size, fields }) {
  if (name === "Plane") return null;
  if (name === "Hull") {
    // Not by spreading: a surface may have more corners than a call may have arguments.
    const range = (pick) => [0, 1, 2].map((i) => fields.vertices.map((v) => v[i]).reduce((a, b) => pick(a, b)));
    return [range(Math.min), range(Math.max)];
  }
  const half = [size[0], size[1] + size[3], size[2]];
  return [half.map((h) => -h), half];
}

// The twelve edges of a box, as pairs of corners.
function boxEdges([low, high]) {
  const corner = (bits) => [0, 1, 2].map((i) => ((bits >> i) & 1 ? high[i] : low[i]));
  const edges = [];
  for (let from = 0; from < 8; from++)
    for (let axis = 0; axis < 3; axis++)
      if (!((from >> axis) & 1)) edges.push([corner(from), corner(from | (1 << axis))]);
  return edges;
}
