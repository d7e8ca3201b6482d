import type { Profile, SAML } from "@node-saml/node-saml";
import { describe, expect, test } from "vitest";
import type { Browser } from "../../support/browser.ts";
import type { KeyPair } from "./key-pair.ts";

/** Helpers of the test file whose servers these tests share. */
export interface LogoutTools {
  readonly newBrowser: () => Browser;
  readonly wiki: (keys?: KeyPair) => SAML;
  readonly plain: () => SAML;
  readonly signIn: (browser: Browser, sp: SAML) => Promise<Profile>;
  /** Opens an address in a browser without a session. @returns the status */
  readonly open: (url: string) => Promise<number>;
  readonly soapRequests: () => readonly string[];
  readonly unregistered: () => KeyPair;
}

const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

/** Starts a logout. @returns its page, and our request to the first service provider after its library verified it */
async function begin(browser: Browser, sp: SAML) {
  const leaving = await browser.submit(await browser.open("/logout"), {});
  const place = leaving.location ?? "";
  const page = await browser.get(place);
  const [, frame = ""] = /<iframe src="([^"]+)"/.exec(page.text) ?? [];
  const framePage = await browser.get(frame.replaceAll("&amp;", "&"));
  const { search } = new URL(framePage.location ?? "");
  const { profile } = await sp.validateRedirectAsync(Object.fromEntries(new URLSearchParams(search)), search.slice(1));
  if (profile === null) throw new Error("no logout request");
  return { page, place, profile };
}

export function logoutStartedByIdp(tools: LogoutTools): void {
  const { newBrowser, wiki, plain, signIn, open, soapRequests, unregistered } = tools;
  describe("a logout that starts at the identity provider", () => {
    test("notifies one service provider in a frame and the other by SOAP, and accepts the response on either replica", async () => {
      const browser = newBrowser();
      const { nameID } = await signIn(browser, wiki());
      const { sessionIndex = "no session index" } = await signIn(browser, plain());
      const { page, place, profile } = await begin(browser, wiki());
      expect(page.headers.get("content-security-policy")).toContain("frame-src 'self' https://wiki.example.test;");
      expect(profile.nameID).toBe(nameID);
      const state = async (): Promise<unknown> => JSON.parse((await browser.get(`${place}&state=1`)).text);
      const soapIsDone = { over: false, states: expect.arrayContaining(["asking", "done"]) };
      await expect.poll(state).toMatchObject(soapIsDone);
      expect(soapRequests().filter((body) => body.includes(sessionIndex))).toHaveLength(1);
      const answer = pathOf(await wiki().getLogoutResponseUrlAsync(profile, "", {}, true));
      expect((await browser.get(answer)).status).toBe(204);
      expect((await browser.get(place)).location).toBe("/logged_out");
      expect((await browser.get("/mfa/sessions")).status).toBe(401);
    });

    test("rejects a response with another key, without a signature, from another service provider, or replayed", async () => {
      const browser = newBrowser();
      await signIn(browser, wiki());
      const { place, profile } = await begin(browser, wiki());
      const by = async (sp: SAML): Promise<string> => sp.getLogoutResponseUrlAsync(profile, "", {}, true);
      const good = await by(wiki());
      expect(await open(await by(wiki(unregistered())))).toBe(400);
      expect(await open(good.replace(/&SigAlg=.*/, ""))).toBe(400);
      expect(await open(await by(plain()))).toBe(400);
      expect(await open(await wiki().getLogoutResponseUrlAsync({ ...profile, ID: "_unknown" }, "", {}, true))).toBe(
        400,
      );
      expect(JSON.parse((await browser.get(`${place}&state=1`)).text)).toMatchObject({ states: ["asking"] });
      const statuses = await Promise.all(Array.from({ length: 10 }, () => open(good)));
      expect(statuses.toSorted((a, b) => a - b)).toEqual([204, ...Array.from({ length: 9 }, () => 400)]);
    });

    test("names the service provider that refused", async () => {
      const browser = newBrowser();
      await signIn(browser, wiki());
      const { place, profile } = await begin(browser, wiki());
      expect(await open(await wiki().getLogoutResponseUrlAsync(profile, "", {}, false))).toBe(204);
      const page = await browser.get(place);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining("Couldn’t sign you out")]);
      expect(page.text).toContain('href="/logged_out"');
    });
  });
}
