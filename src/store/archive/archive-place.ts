/** The archive of segments: an S3-compatible store that several nodes share. */

import type { S3Place } from '#platform/object-store/s3-store.ts'
import { type ArchivedObject, numberInName } from '#store/segments/segment-layout.ts'

/** Plain data, so it crosses to other threads. */
export interface ArchivePlace extends S3Place {
  /** Disk space for chunks read from the archive. */
  readonly cacheBytes: number
}

const OBJECT = /^[0-9a-f]{64}\/(\d{12})-([0-9a-f]{64})\.segment$/

/** Objects of a chain begin with this. */
export function archivePrefix(genesisHash: Uint8Array): string {
  return `${Buffer.from(genesisHash).toString('hex')}/`
}

/** The name contains the checksum: nodes with the same bytes share an object, and others do not overwrite it. */
export function objectKey(genesisHash: Uint8Array, first: number, { sha256 }: ArchivedObject): string {
  return `${archivePrefix(genesisHash)}${numberInName(first)}-${Buffer.from(sha256).toString('hex')}.segment`
}

/** Undefined for the name of any other object. */
export function parseObjectKey(
  key: string,
): { readonly first: number; readonly sha256: Uint8Array } | undefined {
  const [, first, sha256] = OBJECT.exec(key) ?? []
  if (first === undefined || sha256 === undefined) return undefined
  return { first: Number(first), sha256: Buffer.from(sha256, 'hex') }
}
