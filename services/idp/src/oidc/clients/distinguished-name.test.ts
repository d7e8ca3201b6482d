import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesSubject } from "./client-certificate.ts";

test.each([
  ["CN=bank", "CN=bank", true],
  ["CN=bank,O=Bank,C=DE", "C=DE\nO=Bank\nCN=bank", true],
  ["cn=bank, o=Bank , C = DE", "C=DE\nO=Bank\nCN=bank", true],
  ["C=DE,O=Bank,CN=bank", "C=DE\nO=Bank\nCN=bank", false],
  ["CN=bank", "CN=Bank", false],
  ["CN=bank,O=Bank", "C=DE\nO=Bank\nCN=bank", false],
  ["CN=bank,O=Bank\\, Inc.", "O=Bank\\, Inc.\nCN=bank", true],
  ["CN=bank,O=Bank\\2C Inc.", "O=Bank\\, Inc.\nCN=bank", true],
  ["CN=bank,O=Bank, Inc.", "O=Bank\\, Inc.\nCN=bank", false],
  ["CN=b\\C3\\BCro", "CN=büro", true],
  ["OU=b+CN=a,O=c", "O=c\nCN=a + OU=b", true],
  ["CN=a\\+OU\\=b", "CN=a + OU=b", false],
  ["CN=#0403020100", "CN=#0403020100", false],
  ["CN=a\\0AC=DE", "CN=a\nC=DE", false],
  ["", "", false],
])("%j and the subject %j: %s", (name, subject, matches) => {
  expect(matchesSubject(name, subject)).toBe(matches);
});

/** As OpenSSL and other tools write a value (RFC 4514 §2.4). */
function escaped(value: string): string {
  return value.replaceAll(/[\\,+"<>;=#]/g, "\\$&").replaceAll(/^ | $/g, "\\ ");
}

test("a name matches the subject with the same values and no other, whatever they contain", () => {
  const value = fc.string({
    minLength: 1,
    maxLength: 6,
    unit: fc.constantFrom("a", "B", "1", " ", ",", "+", "=", "\\", "#", "ü", '"'),
  });
  fc.assert(
    fc.property(value, value, value, (one, two, other) => {
      const subject = `O=${escaped(one)}\nCN=${escaped(two)}`;
      expect(matchesSubject(`CN=${escaped(two)},O=${escaped(one)}`, subject)).toBe(true);
      expect(matchesSubject(`CN=${escaped(other)},O=${escaped(one)}`, subject)).toBe(other === two);
    }),
  );
});
