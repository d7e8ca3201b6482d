import { readFileSync } from "node:fs";
import { type GeoContext, geoArea, geoEqualEarth, geoPath } from "d3-geo";
import type { Feature, Geometry, Polygon } from "geojson";
import { feature, merge, mesh } from "topojson-client";
import type {
  GeometryCollection,
  Topology,
  MultiPolygon as TopoMultiPolygon,
  Polygon as TopoPolygon,
} from "topojson-specification";
import { generate } from "./write-or-check.ts";

/** The outlines of Natural Earth as the package world-atlas has them, with ISO 3166-1 numbers of countries. */
type Atlas = Topology<{ readonly countries: Countries }>;
interface Countries extends GeometryCollection {
  geometries: (TopoPolygon | TopoMultiPolygon)[];
}

const size = { width: 1000, height: 460 } as const;
const maxIslandArea = 2.5;

function atlasOf(detail: "50m" | "110m"): Atlas {
  return JSON.parse(readFileSync(new URL(import.meta.resolve(`world-atlas/countries-${detail}.json`)), "utf8"));
}

/** Some areas without a number are no countries. */
const isNamed = ({ id, properties }: Feature): boolean => id !== undefined || Object(properties).name === "Kosovo";

/** Antarctica has no addresses to speak of, and would take a fifth of the height. */
const isShown = ({ id }: { readonly id?: string | number | undefined }): boolean => id !== "010";

/** Lines of whole units, each point as its distance from the one before, which makes the path a third as long. */
function shortPath(): GeoContext & { readonly text: () => string } {
  const lines: [number, number][][] = [];
  const rounded = (x: number, y: number): [number, number] => [Math.round(x), Math.round(y)];
  const begin = (x: number, y: number): void => void lines.push([rounded(x, y)]);
  const written = (points: readonly (readonly [number, number])[]): string => {
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
  };
  const isVisible = (points: readonly (readonly [number, number])[]): boolean => {
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    return (Math.max(...xs) - Math.min(...xs)) * (Math.max(...ys) - Math.min(...ys)) > maxIslandArea;
  };
  return {
    beginPath: () => undefined,
    moveTo: begin,
    lineTo: (x, y) => void lines.at(-1)?.push(rounded(x, y)),
    arc: () => undefined,
    closePath: () => undefined,
    text: () => lines.filter(isVisible).map(written).join(""),
  };
}

/** The middle of a country's largest part: that of France is in France, not between France and Guiana. */
function mainPart({ geometry }: Feature): Geometry {
  if (geometry.type !== "MultiPolygon") return geometry;
  const parts = geometry.coordinates.map((coordinates): Polygon => ({ type: "Polygon", coordinates }));
  return parts.reduce((largest, part) => (geoArea(part) > geoArea(largest) ? part : largest));
}

/** ICU knows the letters of the numbers. Kosovo has no number. */
const codeOf = (id: string | number | undefined): string | undefined =>
  id === undefined ? "XK" : new Intl.Locale(`und-${String(id).padStart(3, "0")}`).region;

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
  const [coarse, fine] = [atlasOf("110m"), atlasOf("50m")];
  const shown = (atlas: Atlas): Countries => ({
    ...atlas.objects.countries,
    geometries: atlas.objects.countries.geometries.filter(isShown),
  });
  const world = feature(coarse, shown(coarse));
  const projection = geoEqualEarth().fitSize([size.width, size.height], world);
  const pathOf = (of: Parameters<ReturnType<typeof geoPath>>[0]): string => {
    const short = shortPath();
    geoPath(projection, short)(of);
    return short.text();
  };
  const land = pathOf(merge(coarse, shown(coarse).geometries));
  const borders = pathOf(mesh(coarse, shown(coarse), (one, other) => one !== other));
  const centres = feature(fine, shown(fine)).features.flatMap((country) => {
    const code = codeOf(country.id);
    if (code === undefined || !isNamed(country) || !/^[A-Z]{2}$/u.test(code)) return [];
    return [[code, geoPath(projection).centroid(mainPart(country))] as const];
  });
  const others = Object.entries(territories).map(([code, [x, y]]) => [code, projection([x, y]) ?? [0, 0]] as const);
  const all = [...others, ...centres].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const unique = Object.fromEntries(all.map(([code, [x = 0, y = 0]]) => [code, [Math.round(x), Math.round(y)]]));
  return `// Made from Natural Earth (public domain) by tools/generate-world-map.ts; do not edit.

export const worldSize = ${JSON.stringify(size)} as const;

/** Coasts and borders as paths of SVG. */
export const worldLand = "${land}";
export const worldBorders = "${borders}";

/** Middles of countries and territories by ISO 3166-1 code. */
export const worldCentres: Readonly<Record<string, readonly [x: number, y: number]>> = ${JSON.stringify(unique)};
`;
}

generate(new Map([["services/admin/src/console/origins/world.generated.ts", drawn()]]));
