import { poll } from "@postern/testing";
import type { Page } from "playwright-core";
import { alice, askJson } from "../../support/ask-json.ts";
import { actionIn, type ConsoleStack, openAction, searchLabel } from "./console-stack.ts";

export const soon = { timeout: 20_000 };
export const inEnglish = { locale: "en-US" };

/** A sign-in of alice by IMAP. */
export const loginAt = ({ stack }: ConsoleStack, fields: object) => askJson(stack.url, { ...alice, ...fields });

/** Guesses until the network is banned. */
export async function ban(desk: ConsoleStack, address: string): Promise<void> {
  await poll(`the ban of ${address}`, async () => {
    await loginAt(desk, { client_ip: address, password: `wrong-${Math.random()}` });
    return (await loginAt(desk, { client_ip: address })).status === 403;
  });
}

export async function searchFor(page: Page, query: string): Promise<void> {
  await page.getByLabel(searchLabel).fill(query);
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.locator(".verdict").waitFor();
}

/** Searches until the verdict has this state: engines write their records within a second. */
export async function searchUntil(page: Page, query: string, state: string): Promise<void> {
  await poll(`the state ${state}`, async () => {
    await searchFor(page, query);
    return (await page.locator(`.verdict.${state}`).count()) === 1;
  });
}

export async function act(page: Page, label: string, target: string, reason: string): Promise<void> {
  const item = actionIn(page, label, { about: target }).first();
  await openAction(item);
  await item.getByLabel("Reason").fill(reason);
  await item.getByRole("button", { name: label }).click();
}

export const tokenOn = (page: Page): Promise<string> => page.locator('input[name="csrf_token"]').first().inputValue();
