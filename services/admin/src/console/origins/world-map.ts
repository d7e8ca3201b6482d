import { type Html, html } from "@postern/shared/platform/pages";
import { worldBorders, worldCentres, worldLand, worldSize } from "./world.generated.ts";

/** Something that is counted in a country. */
export interface MapMark {
  /** ISO 3166-1. */
  readonly country: string;
  readonly count: number;
  /** Shown when it is pointed at. */
  readonly text: Html;
}

export interface WorldMap {
  /** What it shows, in a sentence, for those who do not see it. */
  readonly label: Html;
  readonly marks: readonly MapMark[];
  readonly colour: "blocked" | "ok";
}

/** Radii in units of the map. The smallest is still seen on a phone, where a unit is a third of a pixel. */
const radius = { largest: 42, smallest: 3 } as const;

/** It is the same for everyone, and by far the largest part of the page. */
const ground = html`<path class="land" d="${worldLand}"/><path class="borders" d="${worldBorders}"/>`;

/** The area of a circle grows with its count. @param highest the largest count */
export function radiusOf(count: number, highest: number): number {
  const exact = radius.largest * Math.sqrt(count / Math.max(1, highest));
  return Math.round(10 * Math.max(radius.smallest, exact)) / 10;
}

/** Circles on a map of the world in equal areas. Countries that it does not have are left out. */
export function worldMap({ label, marks, colour }: WorldMap): Html {
  const highest = Math.max(0, ...marks.map(({ count }) => count));
  const { width, height } = worldSize;
  return html`<svg class="world" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${ground}<g class="c-${colour}">${marks
    .filter(({ count }) => count > 0)
    // A large circle would cover the small ones.
    .toSorted((one, other) => other.count - one.count)
    .map(({ country, count, text }) => {
      const [x, y] = worldCentres[country] ?? [];
      return x === undefined || y === undefined
        ? html``
        : html`<circle cx="${x}" cy="${y}" r="${radiusOf(count, highest)}"><title>${text}</title></circle>`;
    })}</g></svg>`;
}
