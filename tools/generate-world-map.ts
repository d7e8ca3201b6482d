import { readFileSync } from "node:fs";
import {
  type ExtendedFeature,
  type GeoContext,
  type GeoPermissibleObjects,
  geoArea,
  geoEqualEarth,
  geoPath,
} from "d3-geo";
import { feature, merge, mesh } from "topojson-client";
import { generate } from "./write-or-check.ts";

type Topology = Parameters<typeof merge>[0];
/** Polygons, with the ISO 3166-1 number of a country. */
type Country = Extract<Parameters<typeof merge>[1], readonly unknown[]>[number] & { readonly id?: string | number };

/** The outlines of Natural Earth as the package world-atlas has them. */
interface Atlas {
  readonly topology: Topology;
  readonly countries: { readonly type: "GeometryCollection"; readonly geometries: Country[] };
}

const size = { width: 1000, height: 460 } as const;
/** In square units of the map. */
const smallestIsland = 2.5;

/** Antarctica has no addresses to speak of, and would take a fifth of the height. */
const antarctica = "010";

function atlasOf(detail: "50m" | "110m"): Atlas {
  const file = new URL(import.meta.resolve(`world-atlas/countries-${detail}.json`));
  const topology: Topology & { readonly objects: { readonly countries: Atlas["countries"] } } = JSON.parse(
    readFileSync(file, "utf8"),
  );
  const { countries } = topology.objects;
  const geometries = countries.geometries.filter(({ id }) => id !== antarctica);
  return { topology, countries: { ...countries, geometries } };
}

type Point = readonly [x: number, y: number];

const rounded = (x: number, y: number): Point => [Math.round(x), Math.round(y)];

/** Each point as its distance from the one before, which makes the path a third as long. */
function written(points: readonly Point[]): string {
  let [x, y] = points[0] ?? [0, 0];
  let text = `M${x} ${y}`;
  let isLine = false;
  for (const [nextX, nextY] of points.slice(1)) {
    const [dx, dy] = [nextX - x, nextY - y];
    if (dx === 0 && dy === 0) continue;
    text += `${isLine ? (dx < 0 ? "" : " ") : "l"}${dx}${dy < 0 ? "" : " "}${dy}`;
    isLine = true;
    [x, y] = [nextX, nextY];
  }
  return isLine ? text : "";
}

function isVisible(points: readonly Point[]): boolean {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return (Math.max(...xs) - Math.min(...xs)) * (Math.max(...ys) - Math.min(...ys)) > smallestIsland;
}

/** Draws lines of whole units. */
function shortPath(): GeoContext & { readonly text: () => string } {
  const lines: Point[][] = [];
  return {
    beginPath: () => undefined,
    moveTo: (x, y) => void lines.push([rounded(x, y)]),
    lineTo: (x, y) => void lines.at(-1)?.push(rounded(x, y)),
    arc: () => undefined,
    closePath: () => undefined,
    text: () => lines.filter(isVisible).map(written).join(""),
  };
}

/** The middle of a country's largest part: that of France is in France, not between France and Guiana. */
function mainPart({ geometry }: ExtendedFeature): GeoPermissibleObjects {
  if (geometry === null) throw new TypeError("a country has a geometry");
  if (geometry.type !== "MultiPolygon") return geometry;
  const parts = geometry.coordinates.map((coordinates) => ({ type: "Polygon" as const, coordinates }));
  return parts.reduce((largest, part) => (geoArea(part) > geoArea(largest) ? part : largest));
}

/** ICU knows the letters of the numbers. Kosovo has no number; other areas without one are no countries. */
function codeOf({ id, properties }: ExtendedFeature): string | undefined {
  if (id === undefined) return Object(properties).name === "Kosovo" ? "XK" : undefined;
  const { region } = new Intl.Locale(`und-${String(id).padStart(3, "0")}`);
  return region !== undefined && /^[A-Z]{2}$/u.test(region) ? region : undefined;
}

/** Longitude and latitude of territories that Natural Earth has as parts of their countries, and files of locations have not. */
const territories: Readonly<Record<string, readonly [longitude: number, latitude: number]>> = {
  BQ: [-68.3, 12.2],
  CC: [96.8, -12.1],
  CX: [105.6, -10.5],
  GF: [-53.1, 4],
  GI: [-5.35, 36.14],
  GP: [-61.5, 16.2],
  MQ: [-61, 14.65],
  RE: [55.5, -21.1],
  SJ: [16, 78.5],
  TK: [-171.8, -9.2],
  TV: [179.2, -8.5],
  YT: [45.15, -12.8],
};

function drawn(): string {
  const [{ topology, countries }, fine] = [atlasOf("110m"), atlasOf("50m")];
  const projection = geoEqualEarth().fitSize([size.width, size.height], feature(topology, countries));
  const pathOf = (of: GeoPermissibleObjects): string => {
    const short = shortPath();
    geoPath(projection, short)(of);
    return short.text();
  };
  const middles = feature(fine.topology, fine.countries).features.flatMap((country) => {
    const code = codeOf(country);
    return code === undefined ? [] : [[code, geoPath(projection).centroid(mainPart(country))] as const];
  });
  const others = Object.entries(territories).map(([code, [x, y]]) => [code, projection([x, y]) ?? [0, 0]] as const);
  const centres = [...others, ...middles]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, [x, y]]) => [code, rounded(x, y)]);
  return `// Made from Natural Earth (public domain) by tools/generate-world-map.ts; do not edit.

export const worldSize = ${JSON.stringify(size)} as const;

/** Coasts and borders as paths of SVG. */
export const worldLand = "${pathOf(merge(topology, countries.geometries))}";
export const worldBorders = "${pathOf(mesh(topology, countries, (one, other) => one !== other))}";

/** Middles of countries and territories by ISO 3166-1 code. */
export const worldCentres: Readonly<Record<string, readonly [x: number, y: number]>> = ${JSON.stringify(Object.fromEntries(centres))};
`;
}

generate(new Map([["services/admin/src/console/origins/world.generated.ts", drawn()]]));
