/** The last accepted version of a document. */
export interface MetadataDocument {
  readonly xml: string;
  /** Milliseconds since the epoch. */
  readonly takenAtMs: number;
}

/**
 * The last valid documents, for a replica that starts while their source is unavailable. Rejects if Redis does not
 * answer.
 */
export interface MetadataCopies {
  save(url: string, document: MetadataDocument): Promise<void>;
  find(url: string): Promise<MetadataDocument | undefined>;
}
