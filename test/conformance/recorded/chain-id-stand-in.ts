import { gunzipSync, gzipSync } from 'node:zlib'
import { assert } from '#types/assert.ts'
import type { RecordedEntry } from './entry.ts'
import type { StandIn } from './play.ts'

const GZIP = 'hex:1f8b'

/**
 * Most entries ask for eth_chainId only to ask for something. net_version is as long and as simple, so with it in
 * its place everything but that one method is compared today.
 */
export function chainIdStandIn(entry: RecordedEntry, methods: readonly string[]): StandIn | undefined {
  if (methods.join() !== 'eth_chainId') return undefined
  const text = JSON.stringify(entry)
  const replaced = entry.request?.startsWith(GZIP)
    ? text.replace(entry.request, repacked(entry.request))
    : replaceMethod(text)
  assert(replaced !== text, `the method is found in ${entry.note}`)
  return {
    entry: JSON.parse(replaced) as RecordedEntry,
    recordedBody: (body) => body.replaceAll('"0x539"', '"1337"'),
  }
}

/** Binary messages are recorded in hex. */
function replaceMethod(text: string): string {
  return text.replaceAll('eth_chainId', 'net_version').replaceAll(hex('eth_chainId'), hex('net_version'))
}

function repacked(request: string): string {
  const text = gunzipSync(Buffer.from(request.slice('hex:'.length), 'hex')).toString()
  return `hex:${gzipSync(replaceMethod(text)).toString('hex')}`
}

function hex(text: string): string {
  return Buffer.from(text).toString('hex')
}
