export interface Artefact {
  readonly name: string;
  readonly sha256: string;
}

export interface Build {
  /** `debian-package` or `image`. */
  readonly kind: "debian-package" | "image";
  readonly parameters: Readonly<Record<string, string>>;
  /** What the artefacts were made from. */
  readonly commit: string;
  /** Whether files differed from the commit. */
  readonly isModified: boolean;
  readonly lockSha256: string;
  readonly node: string;
  readonly artefacts: readonly Artefact[];
}

/**
 * An in-toto statement with SLSA provenance v1, one line of JSON. It states what the build read. Anyone who builds can write it, so it is worth
 * no more than the signature on the sums that contain it.
 */
export function provenanceOf({ kind, parameters, artefacts, ...from }: Build): string {
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: artefacts.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `urn:postern:build:${kind}:1`,
        externalParameters: parameters,
        internalParameters: { workingTree: from.isModified ? "modified" : "as committed" },
        resolvedDependencies: [
          { name: "source", uri: "git+file:postern", digest: { gitCommit: from.commit } },
          { name: "package-lock.json", uri: "file:package-lock.json", digest: { sha256: from.lockSha256 } },
          { name: "node", uri: `pkg:npm/node@${from.node}` },
        ],
      },
      // The builder is any machine on which make ran, not an isolated one.
      runDetails: { builder: { id: "urn:postern:builder:make" } },
    },
  };
  return `${JSON.stringify(statement)}\n`;
}
