import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bindings, nameIdFormats } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import { keys, nowMs, sp } from "../testing/forge.ts";
import {
  aggregateOf,
  entityOf,
  nextCertificate,
  publisher,
  signedMetadata,
  spCertificate,
} from "../testing/forge-metadata.ts";
import { durationMs, type MetadataFacts, type ReadMetadataOptions, readMetadata } from "./read-metadata.ts";

const options: ReadMetadataOptions = { keys: [publisher.publicKey], wanted: [sp], nowMs, maxBytes: 1_000_000 };
const unsigned: ReadMetadataOptions = { ...options, keys: [] };
const signedEntity = signedMetadata(entityOf({ attributes: ' ID="_e"' }));
const others = ["https://a.example.test/", "https://b.example.test/"].map((entityId) => entityOf({ entityId }));
const signedAggregate = signedMetadata(aggregateOf([...others, entityOf()], ' ID="_all" cacheDuration="PT1H"'));

function outcomeOf(xml: string, readOptions = options): string {
  try {
    return JSON.stringify(readMetadata(xml, readOptions));
  } catch (error) {
    if (error instanceof SamlRefusal) return `refused ${error.reason}`;
    throw error;
  }
}

const at = (day: string): string => ` validUntil="2026-05-${day}T12:00:00Z"`;
const entityIn = ({ entities }: MetadataFacts) => entities[0];

describe("metadata of a service provider", () => {
  it("contain its URLs with the default first, its logout services, its keys by use and its name formats", () => {
    expect(readMetadata(signedEntity, options)).toEqual({
      cacheMs: undefined,
      entities: [
        {
          entityId: sp,
          validUntilMs: undefined,
          consumers: [
            { url: "https://sp.example.test/two", index: 2 },
            { url: "https://sp.example.test/one", index: 1 },
          ],
          logoutServices: [
            { binding: bindings.soap, location: "https://sp.example.test/slo/soap", responseLocation: undefined },
            { binding: bindings.post, location: "https://sp.example.test/slo/post", responseLocation: undefined },
            {
              binding: bindings.redirect,
              location: "https://sp.example.test/slo/redirect",
              responseLocation: "https://sp.example.test/slo/back",
            },
          ],
          signingCertificates: [spCertificate, nextCertificate],
          encryptionCertificates: [nextCertificate],
          encryptionMethods: [],
          nameIdFormats: [nameIdFormats.transient],
          authnRequestsSigned: false,
        },
      ],
    });
  });

  it("are found by entity ID in a federation's document with other entities", () => {
    const facts = readMetadata(signedAggregate, options);
    expect(facts.entities.map(({ entityId }) => entityId)).toEqual([sp]);
    expect(facts.cacheMs).toBe(3_600_000);
    const nested = signedMetadata(aggregateOf([aggregateOf([entityOf()], "").replace(/^<\?.*\?>\n<!--.*-->\n/, "")]));
    expect(readMetadata(nested, options).entities).toHaveLength(1);
  });

  it("expire at the earliest validUntil of the element and all elements around it", () => {
    const entity = entityOf({ attributes: at("03"), roleAttributes: at("04") });
    const around = signedMetadata(aggregateOf([entity], ` ID="_all"${at("02")}`));
    expect(entityIn(readMetadata(around, options))?.validUntilMs).toBe(Date.parse("2026-05-02T12:00:00Z"));
    const within = signedMetadata(aggregateOf([entity]));
    expect(entityIn(readMetadata(within, options))?.validUntilMs).toBe(Date.parse("2026-05-03T12:00:00Z"));
    expect(outcomeOf(signedMetadata(aggregateOf([entityOf()], ` ID="_all"${at("01")}`)))).toBe("refused time");
  });

  it("may require signed requests", () => {
    const entity = entityOf({ roleAttributes: ' AuthnRequestsSigned="true" WantAssertionsSigned="true"' });
    expect(entityIn(readMetadata(entity, unsigned))?.authnRequestsSigned).toBe(true);
  });

  it("are ignored if they are for another protocol or for an identity provider", () => {
    const old = entityOf().replace(/protocolSupportEnumeration="[^"]*"/, 'protocolSupportEnumeration="urn:old"');
    expect(readMetadata(old, unsigned).entities).toEqual([]);
    const idp = entityOf().replaceAll("SPSSODescriptor", "IDPSSODescriptor");
    expect(readMetadata(idp, unsigned).entities).toEqual([]);
  });

  it.each([
    ["not signed", entityOf(), "signature_missing"],
    [
      "signed with another key",
      signedMetadata(entityOf({ attributes: ' ID="_e"' }), keys.privateKey),
      "signature_wrong",
    ],
    ["changed", signedEntity.replace("sp.example.test/two", "evil.example.test/two"), "signature_wrong"],
    ["a signature of an entity only", aggregateOf([signedEntity]), "signature_shape"],
    ["SHA-1", signedEntity.replace("xmldsig-more#rsa-sha256", "xmldsig#rsa-sha1"), "algorithm"],
    ["a document that is not metadata", signedMetadata('<a ID="_a"/>'), "wrong_message"],
    ["a repeated entity", signedMetadata(aggregateOf([entityOf(), entityOf()])), "structure"],
    [
      "a signed document inside another",
      aggregateOf([entityOf(), signedAggregate.slice(signedAggregate.indexOf("<md:"))]),
      "structure",
    ],
  ])("are rejected: %s", (_name, xml, reason) => {
    expect(outcomeOf(xml)).toBe(`refused ${reason}`);
  });

  it.each([
    ["a DTD", `<!DOCTYPE md:EntityDescriptor>${entityOf()}`, "forbidden_xml"],
    ["an undefined XML entity", entityOf().replace("https://sp.example.test/two", "&evil;"), "not_xml"],
    ["a comment within a value", entityOf().replace("nameid-format:", "<!-- -->nameid-format:"), "forbidden_xml"],
    ["a processing instruction", entityOf().replace("<md:SPSSO", "<?x?><md:SPSSO"), "forbidden_xml"],
    [
      "a URL with another scheme",
      entityOf().replace("https://sp.example.test/two", "javascript:alert(1)"),
      "structure",
    ],
    ["a repeated index", entityOf().replace('index="2"', 'index="1"'), "structure"],
    ["an invalid certificate", entityOf().replace(spCertificate, "AAAA"), "structure"],
    ["elements nested too deeply", "<a>".repeat(70), "too_large"],
    [
      "a hundred URLs",
      entityOf({
        consumers: Array.from(
          { length: 100 },
          (_, index) =>
            `<md:AssertionConsumerService Binding="${bindings.post}" Location="https://sp.example.test/" index="${index}"/>`,
        ).join(""),
      }),
      "too_large",
    ],
  ])("are rejected, signed or not: %s", (_name, xml, reason) => {
    expect(outcomeOf(xml, unsigned)).toBe(`refused ${reason}`);
  });

  it("may have comments between elements", () => {
    expect(readMetadata(entityOf().replace("<md:SPSSO", "<!-- x --><md:SPSSO"), unsigned).entities).toHaveLength(1);
  });

  it("are rejected above the configured size in bytes", () => {
    expect(outcomeOf(signedEntity, { ...options, maxBytes: signedEntity.length - 1 })).toBe("refused too_large");
    expect(outcomeOf(signedEntity, { ...options, maxBytes: signedEntity.length })).not.toContain("refused");
  });

  it("are rejected or read as they were signed, whatever bytes are changed", () => {
    const honest = [signedEntity, signedAggregate];
    const taken = new Set(honest.map((xml) => outcomeOf(xml)));
    const evil = fc.constantFrom(
      "<!---->",
      "<!DOCTYPE x>",
      "&x;",
      "<![CDATA[x]]>",
      "<?x?>",
      entityOf(),
      signedEntity,
      signedEntity.replaceAll("sp.example.test/", "evil.example.test/"),
      " ",
      "x",
      "",
      "\u0000",
    );
    const changed = fc
      .tuple(fc.constantFrom(...honest), evil, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(400))
      .map(([xml, inserted, where, cut]) => {
        const at = Math.floor(where * xml.length);
        return xml.slice(0, at) + inserted + xml.slice(at + cut);
      });
    fc.assert(
      fc.property(changed, (xml) => {
        const outcome = outcomeOf(xml);
        expect(outcome.startsWith("refused") || taken.has(outcome)).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });
});

describe("an xs:duration", () => {
  it.each([
    ["PT6H", 21_600_000],
    ["P1DT1M1.5S", 86_461_000],
    ["P1Y", 31_536_000_000],
    ["P", undefined],
    ["PT", undefined],
    ["-PT1H", undefined],
    ["1h", undefined],
  ])("%s", (text, expected) => {
    expect(durationMs(text)).toBe(expected);
  });
});
