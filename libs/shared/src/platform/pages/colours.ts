/** WCAG 2.2 relative luminance of `#rrggbb`. */
function luminance(colour: string): number {
  const channel = (from: number): number => {
    const value = Number.parseInt(colour.slice(from, from + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

/** WCAG 2.2 contrast ratio, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light = 1, dark = 0] = [luminance(one), luminance(other)].toSorted((left, right) => right - left);
  return (light + 0.05) / (dark + 0.05);
}

/** Minimum contrast of text (WCAG 2.2, 1.4.3) and of borders that identify a control (1.4.11). */
export const leastContrast = Object.freeze({ text: 4.5, control: 3 });

export const lightPalette = Object.freeze({
  page: "#f3f5f8",
  card: "#ffffff",
  text: "#1a1f26",
  muted: "#565f6b",
  line: "#dfe3e8",
  control: "#7f8894",
  accent: "#1f5fd6",
  onAccent: "#ffffff",
  link: "#1f5fd6",
  error: "#b3261e",
  errorSoft: "#fdeeec",
  good: "#1a7440",
  soft: "#eef3fc",
});

export type Palette = Readonly<Record<keyof typeof lightPalette, string>>;

export const darkPalette: Palette = Object.freeze({
  page: "#0e1116",
  card: "#171b22",
  text: "#e8ebf0",
  muted: "#a7b0bc",
  line: "#2b323c",
  control: "#717c8a",
  accent: "#8fb5ff",
  onAccent: "#0b1730",
  link: "#9dbeff",
  error: "#ffb4ab",
  errorSoft: "#3a1d1b",
  good: "#7ddba0",
  soft: "#1d2738",
});

/**
 * The palette with a site's accent colour: text on it is readable, and links keep the default colour if the accent is
 * not.
 */
export function withAccent(palette: Palette, accent: string): Palette {
  if (accent === "") return palette;
  const onAccent = contrast(accent, "#ffffff") >= contrast(accent, "#000000") ? "#ffffff" : "#000000";
  const link = contrast(accent, palette.card) >= leastContrast.text ? accent : palette.link;
  return { ...palette, accent, onAccent, link };
}
