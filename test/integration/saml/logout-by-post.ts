import { inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { hiddenFields, type Page } from "../../support/browser.ts";
import type { LogoutTools } from "./logout-started-by-idp.ts";

const statusOf = (page: Page): string => Buffer.from(hiddenFields(page)["SAMLResponse"] ?? "", "base64").toString();

export function logoutByPost({
  newBrowser,
  plain,
  signIn,
}: Pick<LogoutTools, "newBrowser" | "plain" | "signIn">): void {
  test("a logout that is posted without a session index ends the session of the browser, once, on either replica", async () => {
    const browser = newBrowser();
    const { issuer, nameID, nameIDFormat } = await signIn(browser, plain());
    const post = async (name: string): Promise<string> => {
      const url = await plain().getLogoutUrlAsync({ issuer, nameID: name, nameIDFormat }, "bye", {});
      const deflated = Buffer.from(new URL(url).searchParams.get("SAMLRequest") ?? "", "base64");
      const message = inflateRawSync(deflated).toString("base64");
      // A form of another site arrives without cookies.
      const answer = await newBrowser().post("/saml/slo", { SAMLRequest: message, RelayState: "bye" });
      expect(answer.status).toBe(302);
      return answer.location ?? "";
    };
    expect(statusOf(await newBrowser().get(await post(nameID)))).toContain("status:UnknownPrincipal");
    expect(statusOf(await browser.get(await post("bob@example.test")))).toContain("status:UnknownPrincipal");
    const place = await post(nameID);
    const answers = await Promise.all(Array.from({ length: 10 }, () => browser.get(place)));
    const taken = answers.filter((page) => hiddenFields(page)["SAMLResponse"] !== undefined);
    expect(taken).toHaveLength(1);
    const [page] = taken;
    if (page === undefined) throw new Error("no response");
    expect([statusOf(page), hiddenFields(page)["RelayState"]]).toEqual([
      expect.stringContaining("status:Success"),
      "bye",
    ]);
    expect((await browser.get("/mfa/sessions")).status).toBe(401);
  });
}
