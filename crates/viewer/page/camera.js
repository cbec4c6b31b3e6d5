// The orbiting camera, and the vectors and matrices it needs. Matrices are column by column, as WebGL wants.

const add3 = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub3 = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale3 = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot3 = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross3 = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit3 = (a) => scale3(a, 1 / (Math.hypot(...a) || 1));

function rotate3(q, v) {
  const axis = [q[0], q[1], q[2]];
  const twice = scale3(cross3(axis, v), 2);
  return add3(add3(v, scale3(twice, q[3])), cross3(axis, twice));
}

function multiply4(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++)
      for (let k = 0; k < 4; k++) out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return out;
}

function viewMatrix(eye, right, up, forward) {
  return [
    right[0], up[0], -forward[0], 0, right[1], up[1], -forward[1], 0, right[2], up[2], -forward[2], 0,
    -dot3(right, eye), -dot3(up, eye), dot3(forward, eye), 1,
  ];
}

// The share of the height that the framed box may use; the picture moves up by the rest, which the controls
// at the bottom cover.
const ROOM_FOR_CONTROLS = 0.92;

class OrbitCamera {
  constructor(framing, look) {
    this.framing = framing;
    this.look = look;
    this.aspect = 1;
    this.reset();
  }

  reset() {
    this.azimuth = this.look.azimuth;
    this.elevation = this.look.elevation;
    this.target = [...this.framing.center];
    this.zoom = 1;
  }

  axes() {
    const f = this.framing;
    const az = (this.azimuth * Math.PI) / 180;
    const el = (this.elevation * Math.PI) / 180;
    const level = add3(scale3(f.right, Math.sin(az)), scale3(f.back, Math.cos(az)));
    const toEye = add3(scale3(level, Math.cos(el)), scale3(f.up, Math.sin(el)));
    const forward = scale3(toEye, -1);
    const right = unit3(cross3(forward, f.up));
    return { forward, right, up: cross3(right, forward) };
  }

  // The distance from which the framed box fits, whatever the aspect; the rule of src/view.rs.
  distance(axes) {
    const f = this.framing;
    const tangent = Math.tan((this.look.fieldOfView * Math.PI) / 360) / this.look.margin;
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const sign = (bit) => ((corner >> bit) & 1 ? 1 : -1);
      const p = add3(
        add3(scale3(f.right, f.half[0] * sign(0)), scale3(f.up, f.half[1] * sign(1))),
        scale3(f.back, f.half[2] * sign(2)),
      );
      const needed = Math.max(
        Math.abs(dot3(p, axes.up)) / (tangent * ROOM_FOR_CONTROLS),
        Math.abs(dot3(p, axes.right)) / (tangent * this.aspect),
      );
      distance = Math.max(distance, needed - dot3(p, axes.forward));
    }
    return distance;
  }

  // All that drawing needs to know.
  view() {
    const axes = this.axes();
    // The default distance is that of the default angles, so that turning does not zoom.
    const { azimuth, elevation } = this;
    this.azimuth = this.look.azimuth;
    this.elevation = this.look.elevation;
    const distance = this.distance(this.axes()) / this.zoom;
    this.azimuth = azimuth;
    this.elevation = elevation;
    const eye = sub3(this.target, scale3(axes.forward, distance));
    const near = Math.max(distance * 0.01, this.framing.reach * 1e-3);
    const far = distance + this.framing.reach * 40;
    const cotangent = 1 / Math.tan((this.look.fieldOfView * Math.PI) / 360);
    const projection = [
      cotangent / this.aspect, 0, 0, 0, 0, cotangent, 0, 0,
      0, ROOM_FOR_CONTROLS - 1, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0,
    ];
    const matrix = multiply4(projection, viewMatrix(eye, axes.right, axes.up, axes.forward));
    return { ...axes, eye, distance, matrix, target: this.target };
  }

  turn(dx, dy) {
    this.azimuth -= dx;
    this.elevation = Math.min(89, Math.max(-89, this.elevation + dy));
  }

  // By parts of the picture's height.
  pan(dx, dy) {
    const v = this.view();
    const height = 2 * v.distance * Math.tan((this.look.fieldOfView * Math.PI) / 360);
    this.target = add3(this.target, add3(scale3(v.right, -dx * height), scale3(v.up, dy * height)));
  }

  setZoom(zoom) {
    this.zoom = Math.min(200, Math.max(0.05, zoom));
  }

  zoomBy(factor) {
    this.setZoom(this.zoom * factor);
  }
}
