import { type Html, html } from "@postern/shared/platform/pages";
import { encode } from "uqr";

/** Modules on a side, with its border. Beyond that, a code is drawn larger, so that cameras read it from a screen. */
const densest = 60;

/** A QR code as one path of an SVG. Black on white in the dark colour scheme too, because cameras need it. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: "M", border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return html`<svg class="qr${size > densest && " dense"}" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></svg>`;
}
