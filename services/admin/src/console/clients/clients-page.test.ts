import fc from "fast-check";
import { expect, test } from "vitest";
import { createShowPage } from "../console-document.ts";
import { type ClientsView, clientsPage } from "./clients-page.ts";

const show = createShowPage("https://console.example.test", "Example Mail", "/style.css");
const now = new Date("2030-05-06T12:00:00.000Z");

function viewWith(text: string, end = text): ClientsView {
  return {
    now,
    position: 100,
    words: "",
    sort: "name",
    applications: {
      oidc: [
        {
          client_id: text,
          name: text,
          authentication: text,
          grant_types: [text],
          redirect_uris: [text],
          scopes: [text],
          keys: 2,
          last_used: text,
        },
      ],
      saml: [
        {
          entity_id: text,
          name: text,
          state: "metadata_missing",
          metadata: text,
          metadata_end: end,
          certificates: [{ use: text, end }],
          last_used: text,
        },
      ],
      incomplete: [text],
    },
    registered: {
      clients: [
        {
          client_id: text,
          client_name: text,
          redirect_uris: [text],
          scope: text,
          kind: "mail",
          network: text,
          initial_access_token: text,
          software_id: text,
          created: text,
          last_used: text,
          ends: text,
        },
      ],
      next: 200,
    },
  };
}

const bodyOf = (view: ClientsView): string => show(clientsPage(view)).body;
const tags = (text: string): readonly string[] => [...text.matchAll(/<\/?([a-z][a-z0-9]*)/giu)].map(([tag]) => tag);

test("names and addresses that clients chose add no tag and end no attribute", () => {
  const plain = tags(bodyOf(viewWith("wiki", "2040-01-01T00:00:00Z")));
  const hostile = fc.oneof(fc.string(), fc.constantFrom("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'));
  fc.assert(
    fc.property(hostile, (text) => {
      expect(tags(bodyOf(viewWith(`wiki${text}`, "2040-01-01T00:00:00Z")))).toEqual(plain);
    }),
  );
});

test.each([
  ["2030-05-06T11:59:59Z", "Expired"],
  ["2030-05-07T11:59:59Z", "In 0 days"],
  ["2030-05-07T12:00:00Z", "In 1 day"],
  ["2030-05-27T12:00:00Z", "In 21 days"],
  ["2030-05-28T12:00:00Z", undefined],
])("what ends at %s is marked: %s", (end, mark) => {
  const badges = bodyOf(viewWith("wiki", end)).matchAll(/<span class="badge[^>]*>.*?<\/svg>([^<]+)<\/span>/gu);
  const marks = [...badges].map(([, text]) => text);
  expect(marks).toEqual(["Not usable: the metadata was never loaded", ...(mark === undefined ? [] : [mark, mark])]);
});

test("while OIDC is off, there is no list of registered clients", () => {
  const body = bodyOf({ ...viewWith("wiki"), registered: undefined });
  expect(body).not.toContain("registered themselves");
});

test("words and an order select and sort the configured clients", () => {
  const view = viewWith("wiki");
  const [usual] = view.applications.oidc;
  if (usual === undefined) throw new Error("the view has a client");
  const named = (name: string, last: string | undefined) => ({
    ...usual,
    client_id: name,
    name,
    last_used: last ?? "",
  });
  const oidc = [
    named("Beta mail", "2030-01-02T00:00:00Z"),
    named("Alpha mail", "2030-01-01T00:00:00Z"),
    named("Wiki", ""),
  ];
  const names = (more: Partial<ClientsView>): readonly string[] => {
    const body = bodyOf({
      ...view,
      applications: { ...view.applications, oidc, saml: [] },
      registered: undefined,
      ...more,
    });
    return [...body.matchAll(/<td data-column="Name"><div><b>([^<]+)/gu)].map(([, name = ""]) => name);
  };
  expect(names({})).toEqual(["Alpha mail", "Beta mail", "Wiki"]);
  expect(names({ sort: "used" })).toEqual(["Beta mail", "Alpha mail", "Wiki"]);
  expect(names({ words: "MAIL be" })).toEqual(["Beta mail"]);
});
