import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isLanguageTag, lookUpLanguage, negotiateLanguage, writtenTag } from "@postern/shared/domain/localisation";
import type { FastifyReply } from "fastify";
import type { WireNames } from "../http/naming.ts";
import { type ReplyHeaders, sendReply, utf8Body } from "../http/reply.ts";
import { splitTarget } from "../http/request-path.ts";

/** The texts of a page with one link, in one language. */
type PlainTexts = Readonly<Record<"title" | "text" | "link", string>>;

/** A short form of the identity provider's style, because its stylesheet is unavailable too. */
const style = `*{box-sizing:border-box}
html{color-scheme:light dark}
body{margin:0;background:#fff;color:#16181d;font:400 1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main{width:100%;max-width:27rem;margin-inline:auto;padding:4rem 1.5rem 2rem}
h1{margin:0;font-size:1.625rem;line-height:1.22}
p{margin:.5rem 0 0;color:#565c68}
a{display:flex;align-items:center;justify-content:center;min-height:3rem;margin-top:1.5rem;padding:.625rem 1.25rem;border-radius:.625rem;background:#1f5fbf;color:#fff;font-weight:650;text-decoration:none}
a:focus-visible{outline:.1875rem solid currentColor;outline-offset:.1875rem}
code{font-size:.8125rem}
@media (prefers-color-scheme:dark){body{background:#15171c;color:#eceef2}p{color:#a5acb9}a{background:#8ab4f8;color:#0b1524}}`;

const styleDigest = createHash("sha256").update(style).digest("base64");

/** Allows only this style: no script, image, form or frame. */
const pageHeaders: ReplyHeaders = [
  ["Content-Type", "text/html; charset=utf-8"],
  ["Cache-Control", "no-store"],
  [
    "Content-Security-Policy",
    `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  ],
  ["X-Content-Type-Options", "nosniff"],
  ["X-Frame-Options", "DENY"],
  ["Referrer-Policy", "no-referrer"],
];

type PageRequest = Pick<IncomingMessage, "url" | "headers">;

/** The last segment of a page's path may be a language tag; otherwise the browser's preference applies, then English. */
function languageOf({ url, headers }: PageRequest, tags: readonly string[]): string {
  const { path } = splitTarget(url);
  const last = path.slice(path.lastIndexOf("/") + 1);
  const named = isLanguageTag(last) ? lookUpLanguage(last, tags) : undefined;
  return named ?? negotiateLanguage(headers["accept-language"], tags) ?? "en";
}

interface PlainParts {
  /** The key is the language tag. */
  readonly texts: Readonly<Record<string, PlainTexts>>;
  /** A path of ours. Absent: the page itself. */
  readonly href?: string;
  /** An identifier of ours: letters, digits and hyphens. */
  readonly reference?: string;
}

/** A page of the gateway's own, which needs no other service. */
export function plainPage(request: PageRequest, { texts, href = "", reference }: PlainParts): string {
  const tag = languageOf(request, Object.keys(texts));
  const { title, text, link }: PlainTexts = texts[tag] ?? { title: "", text: "", link: "" };
  return `<!doctype html>
<html lang="${writtenTag(tag)}" dir="${tag === "ar" ? "rtl" : "ltr"}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<a href="${href}">${link}</a>
${reference === undefined ? "" : `<p><code>${reference}</code></p>\n`}</main>
</body>
</html>
`;
}

interface PlainAnswer extends PlainParts {
  readonly status: number;
  readonly headers?: ReplyHeaders;
}

export function sendPlainPage(
  reply: FastifyReply,
  { session }: WireNames,
  { status, headers = [], ...parts }: PlainAnswer,
): void {
  const { id, raw } = reply.request;
  const body = utf8Body(plainPage(raw, parts));
  sendReply(reply, { status, headers: [[session, id], ...headers, ...pageHeaders], body });
}
