// Everything around the picture: controls, legend, figures. It shows the player's state and changes it
// through the player's methods (main.js, plane.js); it draws no frame.

const ICONS = {
  play: "M4 2.5v11l9.5-5.5z",
  pause: "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z",
  back: "M12 2.5v11L5 8zM3 2.5h2v11H3z",
  forth: "M4 2.5v11L11 8zM11 2.5h2v11h-2z",
  loop: "M8 3V.8L12 4 8 7.2V5a3.5 3.5 0 1 0 3.5 3.5h2A5.5 5.5 0 1 1 8 3z",
  panel: "M1.5 2.5h13v11h-13zm1.5 1.5v8h5.5V4z",
};

const byId = (id) => document.getElementById(id);
const css = (c) => `rgb(${c.join(",")})`;

function setIcon(button, name) {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
}

function showMessage(text) {
  byId("message").hidden = text === null;
  if (text === null) return;
  const card = document.createElement("div");
  card.className = "card";
  const p = document.createElement("p");
  p.textContent = text;
  card.append(p);
  byId("message").replaceChildren(card);
}

class Interface {
  constructor(player) {
    this.player = player;
    this.legendKey = "";
    this.fillPanel();
    this.fillTop();
    this.wireTransport();
    this.wireKeys();
  }

  fillPanel() {
    const { data } = this.player;
    const { meta } = data.head;
    const length = (data.frameCount - 1) * meta.frame_dt;
    byId("scene").textContent = meta.scene || "Recording";
    byId("subtitle").textContent = ["drystone", meta.engine_version, meta.preset && `· ${meta.preset}`].filter(Boolean).join(" ");
    const moving = data.head.bodies.filter((b) => !b.fixed).length;
    const g = Math.hypot(...meta.gravity);
    const rows = [
      ["bodies", moving === data.bodyCount ? `${moving}` : `${moving} + ${data.bodyCount - moving} fixed`],
      ["recorded", `${data.frameCount} frames, ${length.toFixed(2)} s`],
      ["frame interval", `${(meta.frame_dt * 1000).toFixed(2)} ms`],
      ["gravity", g === 0 ? "none" : `${g.toFixed(2)} m/s²`],
      ...meta.figures.map((f) => [f.name, f.value]),
    ];
    for (const [name, value] of rows) {
      const row = byId("figures").insertRow();
      row.insertCell().textContent = name;
      row.insertCell().textContent = value;
    }
    const hues = ["#7db4ff", "#f0a04b", "#6fc27d", "#e3646e", "#b08fe3", "#52c4c0"];
    const seek = (frame) => this.player.setFrame(frame);
    this.plots = data.series.map((s, i) => new Plot(byId("plots"), s, hues[i % hues.length], seek));
    const button = byId("panel-button");
    setIcon(button, "panel");
    button.addEventListener("click", () => this.togglePanel());
  }

  togglePanel() {
    document.body.classList.toggle("no-panel");
  }

  fillTop() {
    const { player } = this;
    for (const name of player.colours) {
      const button = document.createElement("button");
      button.textContent = name[0].toUpperCase() + name.slice(1);
      button.setAttribute("role", "radio");
      button.dataset.name = name;
      button.addEventListener("click", () => player.set("colour", name));
      byId("colours").append(button);
    }
    for (const [name, label] of Object.entries(player.toggles)) {
      const button = document.createElement("button");
      button.textContent = label;
      button.dataset.name = name;
      button.addEventListener("click", () => player.set(name, !player[name]));
      byId("toggles").append(button);
    }
  }

  wireTransport() {
    const { player } = this;
    setIcon(byId("back"), "back");
    setIcon(byId("forth"), "forth");
    setIcon(byId("loop"), "loop");
    byId("scrub").max = Math.max(0, player.data.frameCount - 1);
    byId("scrub").addEventListener("input", (event) => player.setFrame(Number(event.target.value)));
    byId("play").addEventListener("click", () => player.playOrPause());
    byId("back").addEventListener("click", () => player.step(-1));
    byId("forth").addEventListener("click", () => player.step(1));
    byId("loop").addEventListener("click", () => player.set("loop", !player.loop));
    // The slider is logarithmic: 0.1 to 4 times, and 1 snaps.
    byId("speed").addEventListener("input", (event) => {
      const speed = Math.pow(10, Number(event.target.value));
      player.set("speed", Math.abs(speed - 1) < 0.06 ? 1 : speed);
    });
  }

  wireKeys() {
    const { player } = this;
    const { camera } = player;
    const nextColour = () => player.colours[(player.colours.indexOf(player.colour) + 1) % player.colours.length];
    const keys = {
      " ": () => player.playOrPause(),
      arrowleft: (e) => player.step(e.shiftKey ? -10 : -1),
      arrowright: (e) => player.step(e.shiftKey ? 10 : 1),
      home: () => player.setFrame(0),
      end: () => player.setFrame(player.data.frameCount - 1),
      a: () => camera.turn(8, 0),
      d: () => camera.turn(-8, 0),
      w: () => camera.turn(0, 5),
      s: () => camera.turn(0, -5),
      q: () => camera.zoomBy(1 / 1.15),
      e: () => camera.zoomBy(1.15),
      "-": () => camera.zoomBy(1 / 1.15),
      "+": () => camera.zoomBy(1.15),
      r: () => camera.reset(),
      c: () => player.set("colour", nextColour()),
      l: () => player.set("loop", !player.loop),
      p: () => this.togglePanel(),
    };
    window.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const key = event.key.toLowerCase();
      const onSlider = event.target.tagName === "INPUT";
      const onButton = event.target.tagName === "BUTTON";
      if (!keys[key] || (onButton && key === " ") || (onSlider && (key.startsWith("arrow") || key === "home" || key === "end"))) return;
      event.preventDefault();
      keys[key](event);
      player.changed();
    });
  }

  // Brings everything shown up to date with the player.
  show() {
    const { player } = this;
    const { data } = player;
    const time = player.shownTime();
    const frame = Math.round(time);
    setIcon(byId("play"), player.isPlaying ? "pause" : "play");
    byId("loop").setAttribute("aria-pressed", player.loop);
    byId("scrub").value = frame;
    byId("scrub").style.setProperty("--at", `${(100 * time) / Math.max(1, data.frameCount - 1)}%`);
    const dt = data.head.meta.frame_dt;
    byId("clock").innerHTML = `<b>${(time * dt).toFixed(2)} s</b> · frame ${frame} / ${data.frameCount - 1}`;
    const slider = Math.log10(player.speed);
    byId("speed").value = slider;
    byId("speed").style.setProperty("--at", `${(100 * (slider + 1)) / 1.602}%`);
    byId("speed-text").textContent = `${player.speed.toFixed(player.speed < 0.995 ? 2 : 1).replace(/\.?0+$/, "")}×`;
    for (const button of byId("colours").children)
      button.setAttribute("aria-checked", button.dataset.name === player.colour);
    for (const button of byId("toggles").children)
      button.setAttribute("aria-pressed", player[button.dataset.name]);
    for (const plot of this.plots) plot.show(time);
    this.showLegend(frame);
  }

  showLegend(frame) {
    const { player } = this;
    const rows = player.legend(frame);
    const key = JSON.stringify(rows);
    if (key === this.legendKey) return;
    this.legendKey = key;
    byId("legend").replaceChildren(...rows.map((row) => this.legendRow(row)));
  }

  legendRow({ colour, ramp, name, count }) {
    const row = document.createElement("div");
    if (ramp) {
      const bar = document.createElement("span");
      bar.className = "ramp";
      bar.style.background = `linear-gradient(90deg, ${ramp.map(css).join(",")})`;
      row.append(bar);
      return row;
    }
    if (colour) {
      const swatch = document.createElement("i");
      swatch.style.background = css(colour);
      row.append(swatch);
    }
    const label = document.createElement(colour ? "span" : "small");
    label.textContent = name;
    row.append(label);
    if (count !== undefined) {
      const value = document.createElement("b");
      value.textContent = count;
      row.append(value);
    }
    return row;
  }
}
