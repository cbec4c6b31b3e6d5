// Drawing with WebGL2. A picture is: the shadow map (depth seen from the sun), the backdrop, all bodies
// (one instanced call per mesh), the floors, and lines. Per frame, only two instance buffers are uploaded.
// The light follows the same recipe as src/render/shade.rs.

const SHADOW_SIZE = 2048;
// Numbers per instance: position (3), colour (4 bytes), rotation (4), size (4).
const INSTANCE_FLOATS = 12;
// Numbers per line: two ends (6), colour (4 bytes), width in pixels.
const LINE_FLOATS = 8;

const LIGHT_GLSL = `
uniform vec3 u_up, u_light, u_center;
uniform float u_cell, u_shadows, u_shadow_texel;
uniform mat4 u_light_matrix;
uniform highp sampler2DShadow u_shadow;

float sun_at(vec3 point, vec3 normal) {
  if (u_shadows < 0.5) return 1.0;
  vec4 p = u_light_matrix * vec4(point + normal * 1.8 * u_shadow_texel, 1.0);
  vec3 at = p.xyz * 0.5 + 0.5;
  if (any(lessThan(at, vec3(0.002))) || any(greaterThan(at, vec3(0.998)))) return 1.0;
  float sum = 0.0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++)
      sum += texture(u_shadow, vec3(at.xy + vec2(x, y) / ${SHADOW_SIZE}.0, at.z - 0.0004));
  return sum / 9.0;
}

vec3 lit(vec3 colour, vec3 point, vec3 normal) {
  float facing = max(dot(normal, u_light), 0.0);
  float sun = facing > 0.0 ? facing * sun_at(point, normal) : 0.0;
  vec3 around = mix(vec3(0.20, 0.19, 0.18), vec3(0.42, 0.47, 0.55), 0.5 + 0.5 * dot(normal, u_up));
  return colour * (vec3(1.02, 0.97, 0.88) * sun + around);
}

float checker(vec3 point, vec3 normal) {
  vec3 n = abs(normal);
  vec2 at = (n.y >= n.x && n.y >= n.z ? point.xz : n.x >= n.z ? point.yz : point.xy) / u_cell;
  float pixel = max(length(fwidth(at)) * 0.7, 1e-5);
  float odd = mod(floor(at.x) + floor(at.y), 2.0);
  // Fields are blended over one pixel at their borders, and into grey where they are smaller than pixels.
  vec2 border = abs(fract(at) - 0.5);
  float edge = smoothstep(0.0, pixel, 0.5 - max(border.x, border.y));
  return 0.5 + (odd - 0.5) * edge * (1.0 - smoothstep(0.15, 0.6, pixel));
}

vec3 encode(vec3 c) {
  vec3 bent = 0.7 + 0.3 * (1.0 - exp(-(c - 0.7) / 0.3));
  c = mix(c, bent, step(vec3(0.7), c));
  return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2));
}
vec3 decode(vec3 c) { return pow(c, vec3(2.2)); }
`;

const INSTANCE_GLSL = `
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in float a_cap;
layout(location = 3) in vec3 i_position;
layout(location = 4) in vec4 i_colour;
layout(location = 5) in vec4 i_rotation;
layout(location = 6) in vec4 i_size;
uniform mat4 u_matrix;
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.xyz, v); return v + q.w * t + cross(q.xyz, t); }
vec3 local_point() { return a_position * i_size.xyz + vec3(0.0, a_cap * i_size.w, 0.0); }
`;

const SOLID_VERTEX = `#version 300 es
${INSTANCE_GLSL}
out vec3 v_local, v_world, v_normal;
flat out vec4 v_colour;
flat out vec4 v_size;
void main() {
  v_local = local_point();
  v_world = i_position + turn(i_rotation, v_local);
  v_normal = turn(i_rotation, a_normal);
  v_colour = i_colour;
  v_size = i_size;
  gl_Position = u_matrix * vec4(v_world, 1.0);
}`;

const SOLID_FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
in vec3 v_local, v_world, v_normal;
flat in vec4 v_colour;
flat in vec4 v_size;
uniform int u_kind;
out vec4 o_colour;
${LIGHT_GLSL}
void main() {
  vec3 normal = normalize(v_normal);
  vec3 colour = decode(v_colour.rgb);
  if (u_kind == ${KIND_BOX}) {
    vec3 inset = v_size.xyz - abs(v_local);
    float low = min(inset.x, min(inset.y, inset.z));
    float high = max(inset.x, max(inset.y, inset.z));
    float middle = inset.x + inset.y + inset.z - low - high;
    float width = max(0.09 * min(v_size.x, min(v_size.y, v_size.z)), fwidth(middle));
    colour *= 0.66 + 0.34 * smoothstep(0.3 * width, 1.3 * width, middle);
  } else if (u_kind == ${KIND_SPHERE}) {
    if (v_local.x * v_local.y * v_local.z < 0.0) colour *= 0.72;
  } else if (u_kind == ${KIND_CAPSULE}) {
    if (v_local.x * v_local.z < 0.0) colour *= 0.72;
  }
  // Opacity tells what is fixed; that is chequered like the floor.
  if (v_colour.a < 0.75) colour *= 0.92 + 0.16 * checker(v_world, normal);
  o_colour = vec4(encode(lit(colour, v_world, normal)), 1.0);
}`;

const SHADOW_VERTEX = `#version 300 es
${INSTANCE_GLSL}
void main() { gl_Position = u_matrix * vec4(i_position + turn(i_rotation, local_point()), 1.0); }`;

const SHADOW_FRAGMENT = `#version 300 es
precision mediump float;
void main() {}`;

const FLOOR_VERTEX = `#version 300 es
layout(location = 0) in vec2 a_corner;
uniform mat4 u_matrix;
uniform vec3 u_middle, u_across, u_along;
out vec3 v_world;
void main() {
  v_world = u_middle + a_corner.x * u_across + a_corner.y * u_along;
  gl_Position = u_matrix * vec4(v_world, 1.0);
}`;

const FLOOR_FRAGMENT = `#version 300 es
precision highp float;
in vec3 v_world;
uniform vec3 u_normal, u_ground_a, u_ground_b;
uniform float u_reach;
out vec4 o_colour;
${LIGHT_GLSL}
void main() {
  float fade = 1.0 - smoothstep(2.0 * u_reach, 9.0 * u_reach, distance(v_world, u_center));
  vec3 colour = mix(decode(u_ground_a), decode(u_ground_b), checker(v_world, u_normal));
  o_colour = vec4(encode(lit(colour, v_world, u_normal)), fade);
}`;

const BACK_VERTEX = `#version 300 es
out float v_height;
void main() {
  vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  v_height = 0.5 + 0.5 * p.y;
  gl_Position = vec4(p, 1.0, 1.0);
}`;

const BACK_FRAGMENT = `#version 300 es
precision highp float;
in float v_height;
uniform vec3 u_low, u_high;
out vec4 o_colour;
void main() {
  vec3 c = pow(mix(pow(u_low, vec3(2.2)), pow(u_high, vec3(2.2)), v_height), vec3(1.0 / 2.2));
  // A little noise hides the steps of a slow gradient.
  float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453);
  o_colour = vec4(c + (noise - 0.5) / 255.0, 1.0);
}`;

const LINE_VERTEX = `#version 300 es
layout(location = 0) in vec2 a_corner;
layout(location = 1) in vec3 i_from;
layout(location = 2) in vec3 i_to;
layout(location = 3) in vec4 i_colour;
layout(location = 4) in float i_width;
uniform mat4 u_matrix;
uniform vec2 u_pixels;
uniform float u_opacity;
out vec4 v_colour;
void main() {
  vec4 a = u_matrix * vec4(i_from, 1.0), b = u_matrix * vec4(i_to, 1.0);
  // Ends behind the camera are pulled just in front of it.
  float near = 1e-4;
  if (a.w < near) a = mix(b, a, (b.w - near) / (b.w - a.w));
  if (b.w < near) b = mix(a, b, (a.w - near) / (a.w - b.w));
  vec2 p = a.xy / a.w * u_pixels, q = b.xy / b.w * u_pixels;
  vec2 along = length(q - p) > 1e-3 ? normalize(q - p) : vec2(1.0, 0.0);
  vec2 offset = (along * (a_corner.x * 2.0 - 1.0) + vec2(-along.y, along.x) * a_corner.y) * i_width;
  vec4 at = a_corner.x > 0.5 ? b : a;
  gl_Position = at + vec4(offset / u_pixels * at.w, -0.0006 * at.w, 0.0);
  v_colour = vec4(i_colour.rgb, i_colour.a * u_opacity);
}`;

const LINE_FRAGMENT = `#version 300 es
precision mediump float;
in vec4 v_colour;
out vec4 o_colour;
void main() { o_colour = v_colour; }`;

class Drawer {
  // Throws where WebGL2 is missing.
  constructor(canvas, framing, look) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("This page draws with WebGL 2, which this browser or machine does not offer.");
    this.gl = gl;
    this.framing = framing;
    this.look = look;
    this.batches = [];
    this.floors = [];
    this.solid = this.program(SOLID_VERTEX, SOLID_FRAGMENT);
    this.shadow = this.program(SHADOW_VERTEX, SHADOW_FRAGMENT);
    this.floor = this.program(FLOOR_VERTEX, FLOOR_FRAGMENT);
    this.back = this.program(BACK_VERTEX, BACK_FRAGMENT);
    this.line = this.program(LINE_VERTEX, LINE_FRAGMENT);
    this.empty = gl.createVertexArray();
    this.makeShadowMap();
    this.makeFloor();
    this.lineBuffer = gl.createBuffer();
    this.lines = this.makeLines();
  }

  program(vertex, fragment) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  makeShadowMap() {
    const { gl } = this;
    this.shadowTexture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowTexture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.shadowTarget = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowTexture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  makeFloor() {
    const { gl } = this;
    this.floorArray = gl.createVertexArray();
    gl.bindVertexArray(this.floorArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  }

  makeLines() {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    this.instanceAttributes(LINE_FLOATS * 4, 0, [[1, 3, 0], [2, 3, 12], [3, 4, 24, gl.UNSIGNED_BYTE], [4, 1, 28]]);
    return array;
  }

  instanceAttributes(stride, start, list) {
    const { gl } = this;
    for (const [location, size, offset, type = gl.FLOAT] of list) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, type, type !== gl.FLOAT, stride, start + offset);
      gl.vertexAttribDivisor(location, 1);
    }
  }

  // Takes [{ mesh, count }]: instances are laid out one batch after the other.
  setBatches(batches) {
    const { gl } = this;
    this.instanceBuffer = gl.createBuffer();
    let first = 0;
    this.batches = batches.map(({ mesh, count }) => {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(mesh.corners), gl.STATIC_DRAW);
      for (const [location, size, offset] of [[0, 3, 0], [1, 3, 12], [2, 1, 24]]) {
        gl.enableVertexAttribArray(location);
        gl.vertexAttribPointer(location, size, gl.FLOAT, false, 28, offset);
      }
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(mesh.triangles), gl.STATIC_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.instanceBuffer);
      const start = first * INSTANCE_FLOATS * 4;
      this.instanceAttributes(INSTANCE_FLOATS * 4, start, [
        [3, 3, 0], [4, 4, 12, gl.UNSIGNED_BYTE], [5, 4, 16], [6, 4, 32],
      ]);
      first += count;
      return { array, count, indexCount: mesh.triangles.length, kind: mesh.kind };
    });
    gl.bindVertexArray(null);
  }

  // Draws instances (Float32Array), floors [{ point, normal }] and lines (Float32Array).
  draw(view, instances, floors, lines, shadows) {
    const { gl } = this;
    if (this.instanceBuffer) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.instanceBuffer);
      gl.bufferData(gl.ARRAY_BUFFER, instances, gl.DYNAMIC_DRAW);
    }
    const sun = this.sun(view);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    gl.enable(gl.CULL_FACE);
    if (shadows) this.drawShadows(sun);
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawBack();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowTexture);
    this.useLight(this.solid, view, sun, shadows);
    for (const batch of this.batches) {
      gl.uniform1i(this.solid.uniforms.u_kind, batch.kind);
      gl.bindVertexArray(batch.array);
      gl.drawElementsInstanced(gl.TRIANGLES, batch.indexCount, gl.UNSIGNED_INT, 0, batch.count);
    }
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.drawFloors(floors, view, sun, shadows);
    this.drawLines(lines, view);
  }

  // A parallel view along the sunlight, on what the camera looks at, in whole texels so that shadows rest.
  sun(view) {
    const { light, reach, center } = this.framing;
    const forward = scale3(light, -1);
    const least = [0, 1, 2].reduce((a, b) => (Math.abs(light[a]) <= Math.abs(light[b]) ? a : b));
    const right = unit3(cross3(forward, [0, 1, 2].map((i) => (i === least ? 1 : 0))));
    const up = cross3(right, forward);
    const isClose = view.distance < reach * 1.5;
    const radius = isClose ? Math.pow(2, Math.ceil(Math.log2(view.distance * 0.8))) : reach * 1.6;
    const texel = (2 * radius) / SHADOW_SIZE;
    const about = isClose ? view.target : center;
    const snap = (axis) => scale3(axis, Math.round(dot3(about, axis) / texel) * texel);
    const middle = add3(add3(snap(right), snap(up)), scale3(forward, dot3(about, forward)));
    const depth = Math.max(radius, reach) * 4;
    const projection = [1 / radius, 0, 0, 0, 0, 1 / radius, 0, 0, 0, 0, -1 / depth, 0, 0, 0, 0, 1];
    return { texel, matrix: multiply4(projection, viewMatrix(middle, right, up, forward)) };
  }

  drawShadows(sun) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.shadow.program);
    gl.uniformMatrix4fv(this.shadow.uniforms.u_matrix, false, sun.matrix);
    for (const batch of this.batches) {
      gl.bindVertexArray(batch.array);
      gl.drawElementsInstanced(gl.TRIANGLES, batch.indexCount, gl.UNSIGNED_INT, 0, batch.count);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  drawBack() {
    const { gl } = this;
    gl.useProgram(this.back.program);
    gl.uniform3fv(this.back.uniforms.u_low, this.look.backdrop[0].map((c) => c / 255));
    gl.uniform3fv(this.back.uniforms.u_high, this.look.backdrop[1].map((c) => c / 255));
    gl.bindVertexArray(this.empty);
    gl.depthMask(false);
    gl.depthFunc(gl.ALWAYS);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
  }

  useLight({ program, uniforms }, view, sun, shadows) {
    const { gl, framing } = this;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.u_matrix, false, view.matrix);
    gl.uniformMatrix4fv(uniforms.u_light_matrix, false, sun.matrix);
    gl.uniform3fv(uniforms.u_up, framing.up);
    gl.uniform3fv(uniforms.u_light, framing.light);
    if (uniforms.u_center) gl.uniform3fv(uniforms.u_center, framing.center);
    gl.uniform1f(uniforms.u_cell, framing.cell);
    gl.uniform1f(uniforms.u_shadows, shadows ? 1 : 0);
    gl.uniform1f(uniforms.u_shadow_texel, sun.texel);
    gl.uniform1i(uniforms.u_shadow, 0);
  }

  drawFloors(floors, view, sun, shadows) {
    const { gl, framing } = this;
    this.useLight(this.floor, view, sun, shadows);
    const { uniforms } = this.floor;
    gl.uniform3fv(uniforms.u_ground_a, this.look.ground[0].map((c) => c / 255));
    gl.uniform3fv(uniforms.u_ground_b, this.look.ground[1].map((c) => c / 255));
    gl.uniform1f(uniforms.u_reach, framing.reach);
    gl.bindVertexArray(this.floorArray);
    for (const { point, normal } of floors) {
      const least = [0, 1, 2].reduce((a, b) => (Math.abs(normal[a]) <= Math.abs(normal[b]) ? a : b));
      const across = unit3(cross3(normal, [0, 1, 2].map((i) => (i === least ? 1 : 0))));
      const height = dot3(sub3(framing.center, point), normal);
      gl.uniform3fv(uniforms.u_middle, sub3(framing.center, scale3(normal, height)));
      gl.uniform3fv(uniforms.u_across, scale3(across, framing.reach * 9));
      gl.uniform3fv(uniforms.u_along, scale3(cross3(normal, across), framing.reach * 9));
      gl.uniform3fv(uniforms.u_normal, normal);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
  }

  // Twice: where they are seen, and faintly where bodies are in front.
  drawLines(lines, view) {
    const { gl } = this;
    const count = lines.length / LINE_FLOATS;
    if (count === 0) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, lines, gl.DYNAMIC_DRAW);
    gl.useProgram(this.line.program);
    gl.uniformMatrix4fv(this.line.uniforms.u_matrix, false, view.matrix);
    gl.uniform2f(this.line.uniforms.u_pixels, gl.drawingBufferWidth / 2, gl.drawingBufferHeight / 2);
    gl.bindVertexArray(this.lines);
    gl.disable(gl.CULL_FACE);
    gl.depthMask(false);
    for (const [test, opacity] of [[gl.LESS, 1], [gl.GREATER, 0.3]]) {
      gl.depthFunc(test);
      gl.uniform1f(this.line.uniforms.u_opacity, opacity);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    }
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
  }
}
