// Light and dark: what the system prefers, until the reader says otherwise.

const NIGHT = window.matchMedia("(prefers-color-scheme: dark)");
const INKS = {
  light: { ink: [0.16, 0.18, 0.22], steel: [0.60, 0.63, 0.68], line: [0.33, 0.36, 0.42], grid: 0.13, shade: 0.16 },
  dark: { ink: [0.86, 0.89, 0.94], steel: [0.56, 0.60, 0.67], line: [0.74, 0.78, 0.84], grid: 0.16, shade: 0.5 },
};

class Theme {
  constructor(tones) {
    this.tones = tones; // colours of light pictures, and those for them on dark paper
    this.heard = [];
    NIGHT.addEventListener("change", () => this.tell());
  }

  get name() {
    return document.documentElement.dataset.theme || (NIGHT.matches ? "dark" : "light");
  }

  get inks() {
    return INKS[this.name];
  }

  // "#rrggbb" as it is drawn now.
  hex(plain) {
    return this.name === "dark" ? this.tones[plain] || plain : plain;
  }

  tint(plain) {
    return colour(this.hex(plain));
  }

  turn() {
    document.documentElement.dataset.theme = this.name === "dark" ? "light" : "dark";
    this.tell();
  }

  // `act` is called now, and whenever the theme changes.
  follow(act) {
    this.heard.push(act);
    act();
  }

  tell() {
    for (const act of this.heard) act();
  }
}
