import type { Browser, Page } from "playwright-core";

/** How a page is shown: the window's size in CSS pixels, and the size of its picture. */
const looks = [
  { title: "phone, light", colorScheme: "light", width: 390, height: 780, scale: 0.75 },
  { title: "phone, dark", colorScheme: "dark", width: 390, height: 780, scale: 0.75 },
  { title: "desktop, light", colorScheme: "light", width: 1280, height: 800, scale: 0.5 },
  { title: "desktop, dark", colorScheme: "dark", width: 1280, height: 800, scale: 0.5 },
] as const;

type Picture = (typeof looks)[number] & { readonly png: string };

async function pictureOf(browser: Browser, url: string, look: (typeof looks)[number]): Promise<Picture> {
  const { colorScheme, width, height, scale } = look;
  await using context = await browser.newContext({
    colorScheme,
    viewport: { width, height },
    // Rendered small instead of scaled down, so that hairlines stay visible.
    deviceScaleFactor: scale,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(url);
  const png = await page.screenshot({ fullPage: true, caret: "hide" });
  return { ...look, png: png.toString("base64") };
}

async function webpOf(page: Page): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page);
  const { width = 0, height = 0 } = (await page.locator("main").boundingBox()) ?? {};
  const clip = { x: 0, y: 0, width: Math.ceil(width), height: Math.ceil(height), scale: 1 };
  const options = { format: "webp", quality: 80, clip, captureBeyondViewport: true } as const;
  const { data } = await devtools.send("Page.captureScreenshot", options);
  return Buffer.from(data, "base64");
}

const style = `body{margin:0;background:#8a929c}main{display:inline-flex;gap:16px;padding:16px;align-items:flex-start}
figure{margin:0}figure+figure{margin-top:16px}figcaption{font:13px sans-serif;color:#101418;margin-bottom:6px}img{display:block}`;

const figureOf = ({ title, png }: Picture): string =>
  `<figure><figcaption>${title}</figcaption><img src="data:image/png;base64,${png}"></figure>`;

/** One WebP picture of a page: on a phone and on a desktop, in light and dark mode. */
export async function sheetOf(browser: Browser, url: string): Promise<Buffer> {
  const pictures = await Promise.all(looks.map((look) => pictureOf(browser, url, look)));
  const phones = pictures.filter(({ width }) => width === 390).map((picture) => `<div>${figureOf(picture)}</div>`);
  const desks = pictures.filter(({ width }) => width === 1280).map(figureOf);
  await using context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  const body = `<main>${phones.join("")}<div>${desks.join("")}</div></main>`;
  await page.setContent(`<style>${style}</style>${body}`, { waitUntil: "load" });
  return await webpOf(page);
}
