/** `absent`: left out, because nothing corresponds to it; `changed`: kept, with another effect; `renamed`: the same under another name. */
export type ImportKind = "absent" | "changed" | "renamed";

/** Something that an imported configuration does differently. It never contains the value of a key that can hold a secret. */
export interface ImportNote {
  readonly kind: ImportKind;
  readonly path: string;
  readonly text: string;
}

export const kinds: readonly { readonly kind: ImportKind; readonly heading: string }[] = [
  { kind: "absent", heading: "left out" },
  { kind: "changed", heading: "kept, with a different meaning" },
  { kind: "renamed", heading: "under another name" },
];
