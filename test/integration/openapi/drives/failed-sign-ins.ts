import { poll } from "@postern/testing";
import { basicAuth, type Stack } from "../../../support/stack.ts";
import type { Drive, DriveParts } from "../drive.ts";
import { atLogin, credentialsOf } from "../pages-browser.ts";

/** The reference of a recent failed sign-in. */
async function failed(stack: Stack): Promise<DriveParts> {
  const { browser, page } = await atLogin(stack);
  const { text } = await browser.submit(page, { ...credentialsOf("alice"), password: "wrong" });
  const [, reference = ""] = /class="reference">[^<]+<code>([^<]+)</u.exec(text) ?? [];
  const url = `${stack.url}/api/v1/sign-ins/${reference}`;
  await poll("the failed sign-in to be stored", async () => {
    return (await fetch(url, { headers: { authorization: basicAuth } })).status === 200;
  });
  return { path: { reference } };
}

export const failedSignInDrives: readonly Drive[] = [
  { operationId: "getFailedSignIn", status: 200, parts: failed },
  { operationId: "getFailedSignIn", status: 404, parts: () => ({ path: { reference: "01234567-89ab" } }) },
];
