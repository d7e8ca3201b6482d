/** Kinds of mail clients, each of which is set up in its own way. */
export const clientKinds = ["apple", "android", "thunderbird", "outlook", "other"] as const;

export type ClientKind = (typeof clientKinds)[number];

export function isClientKind(text: string | undefined): text is ClientKind {
  return clientKinds.some((kind) => kind === text);
}
