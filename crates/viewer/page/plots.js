// Small plots of values over time, with a cursor at the current frame; a click or drag on one goes there.

// A number short enough for a label.
function brief(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(1);
  if (size >= 100 || Number.isInteger(value)) return value.toFixed(0);
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

class Plot {
  constructor(parent, series, colour, onSeek) {
    this.values = series.values;
    this.unit = series.info.unit;
    this.colour = colour;
    const box = document.createElement("div");
    box.className = "plot";
    const header = document.createElement("header");
    const name = document.createElement("span");
    name.textContent = series.info.name;
    this.now = document.createElement("b");
    header.append(name, this.now);
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-label", `${series.info.name} over time`);
    box.append(header, this.canvas);
    parent.append(box);
    // A scale from zero where values have one sign, so that heights can be compared.
    let [low, high] = [0, 0];
    for (const v of this.values)
      if (Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
    this.low = low;
    this.high = high > low ? high : low + 1;
    // Room above the curve for the label of its top.
    this.ceiling = this.high + 0.22 * (this.high - this.low);
    this.frame = 0;
    this.cache = document.createElement("canvas");
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    const seek = (event) => {
      if (event.buttons & 1) {
        const box = this.canvas.getBoundingClientRect();
        const at = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
        onSeek(Math.round(at * (this.values.length - 1)));
      }
    };
    this.canvas.addEventListener("pointerdown", seek);
    this.canvas.addEventListener("pointermove", seek);
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth * ratio, this.canvas.clientHeight * ratio].map(Math.round);
    if (width === 0 || (this.cache.width === width && this.cache.height === height)) return;
    for (const canvas of [this.canvas, this.cache]) [canvas.width, canvas.height] = [width, height];
    this.paintCurve(ratio);
    this.paint();
  }

  x(frame) {
    return (frame / Math.max(1, this.values.length - 1)) * (this.cache.width - 1);
  }

  y(value) {
    const room = this.cache.height - 5;
    return 2.5 + room * (1 - (value - this.low) / (this.ceiling - this.low));
  }

  // The curve is painted once per size: per column of pixels the lowest and the highest value.
  paintCurve(ratio) {
    const { values } = this;
    const pen = this.cache.getContext("2d");
    const { width, height } = this.cache;
    pen.fillStyle = "rgba(255,255,255,0.035)";
    pen.fillRect(0, 0, width, height);
    const perColumn = Math.max(1, values.length / width);
    const line = new Path2D();
    let isDown = false;
    let [firstX, lastX] = [0, 0];
    for (let f = 0; f < values.length; f += perColumn) {
      let [low, high] = [Infinity, -Infinity];
      for (let i = Math.floor(f); i < Math.min(values.length, Math.floor(f + perColumn)); i++)
        if (Number.isFinite(values[i])) [low, high] = [Math.min(low, values[i]), Math.max(high, values[i])];
      if (low > high) {
        isDown = false;
        continue;
      }
      lastX = this.x(f);
      if (isDown) line.lineTo(lastX, this.y(high));
      else {
        line.moveTo(lastX, this.y(high));
        firstX = lastX;
      }
      if (low < high) line.lineTo(lastX, this.y(low));
      isDown = true;
    }
    const area = new Path2D(line);
    area.lineTo(lastX, this.y(Math.max(0, this.low)));
    area.lineTo(firstX, this.y(Math.max(0, this.low)));
    const shade = pen.createLinearGradient(0, 0, 0, height);
    shade.addColorStop(0, `${this.colour}55`);
    shade.addColorStop(1, `${this.colour}08`);
    pen.fillStyle = shade;
    pen.fill(area);
    pen.strokeStyle = this.colour;
    pen.lineWidth = 1.4 * ratio;
    pen.lineJoin = "round";
    pen.stroke(line);
    pen.fillStyle = "rgba(143,155,171,0.9)";
    pen.font = `${10.5 * ratio}px system-ui, sans-serif`;
    pen.textBaseline = "top";
    pen.fillText(brief(this.high), 4 * ratio, 4 * ratio);
  }

  show(frame) {
    this.frame = frame;
    this.now.textContent = `${brief(this.values[Math.round(frame)])} ${this.unit}`.trim();
    this.paint();
  }

  paint() {
    const pen = this.canvas.getContext("2d");
    const { width, height } = this.cache;
    if (width === 0 || height === 0) return;
    const ratio = window.devicePixelRatio || 1;
    pen.clearRect(0, 0, width, height);
    pen.drawImage(this.cache, 0, 0);
    const x = this.x(this.frame);
    pen.fillStyle = "rgba(255,255,255,0.55)";
    pen.fillRect(Math.min(x, width - ratio), 0, ratio, height);
    const value = this.values[Math.round(this.frame)];
    if (!Number.isFinite(value)) return;
    pen.fillStyle = "#fff";
    pen.beginPath();
    pen.arc(x, this.y(value), 2.6 * ratio, 0, 2 * Math.PI);
    pen.fill();
  }
}
