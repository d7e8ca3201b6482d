import { once } from "node:events";
import { createServer } from "node:http";
import { formOf, html, htmlText } from "@postern/shared/platform/pages";
import { expect, test } from "vitest";
import { deleteForm } from "../../services/idp/src/pages/parts.ts";
import { createBrowser } from "./browser.ts";

async function serve(body: string) {
  const received: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding("utf8");
    let text = "";
    request.on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      if (request.method === "POST") received.push(`${request.url} ${text}`);
      response.end(body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

test("submits the form of a removal page to its address", async () => {
  const page = deleteForm({ action: "/mfa/totp?a=1&b=2", csrfToken: "token" }, "Remove");
  await using site = await serve(htmlText(page));
  const browser = createBrowser([site.url]);
  await browser.submit(await browser.get("/mfa/remove"), {});
  expect(site.received).toEqual(["/mfa/totp?a=1&b=2 csrf_token=token&_method=DELETE"]);
});

test("submits the form that does not delete, with its own hidden fields only", async () => {
  const page = html`${deleteForm({ action: "/gone", csrfToken: "two" }, "Remove")}${formOf({ action: "/add", csrfToken: "one" }, html``)}`;
  await using site = await serve(htmlText(page));
  const browser = createBrowser([site.url]);
  await browser.submit(await browser.get("/things"), { name: "key" });
  expect(site.received).toEqual(["/add csrf_token=one&name=key"]);
});
