import { assert } from '#types/assert.ts'
import type { Pack } from '../suite.ts'

/** One entry of recorded/jsonrpc/*.json, as the pack's README describes it. */
export interface RecordedEntry {
  readonly note: string
  readonly transport?: 'http' | 'tcp' | 'ws'
  readonly httpMethod?: string
  readonly path?: string
  readonly request?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
  readonly reason?: string
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly response?: string | null
  readonly frames?: readonly RecordedFrame[]
  /** For raw TCP: the side that closed. */
  readonly end?: string
  readonly connections?: readonly unknown[]
  /** For a decoded token. */
  readonly header?: object
  readonly payload?: Readonly<Record<string, unknown>>
}

export interface RecordedFrame {
  readonly out?: string
  readonly binary?: boolean
  readonly in?: string
  readonly close?: number
}

export function readEntries(pack: Pack, file: string): readonly RecordedEntry[] {
  return pack.json(`recorded/jsonrpc/${file}`) as RecordedEntry[]
}

const SHORTENED = /\.\.\.\((\d+)(?: bytes)?\)$/
const FRAGMENTED = /^fragmented (\d+)$/

/** The sent bytes. Long requests are recorded as their beginning and length. */
export function bytesOf(text: string): Buffer {
  if (text.startsWith('hex:')) return Buffer.from(text.slice(4), 'hex')
  const fragmented = FRAGMENTED.exec(text)
  if (fragmented) return Buffer.from(hashOfZeros(Number(fragmented[1])))
  const shortened = SHORTENED.exec(text)
  if (!shortened) return Buffer.from(text)
  const length = Number(shortened[1])
  const beginning = text.slice(0, shortened.index)
  const whole = RULES.map((rule) => rule(length)).find((candidate) => candidate.startsWith(beginning))
  assert(whole?.length === length, `the whole of ${beginning.slice(0, 60)}… is known`)
  return Buffer.from(whole)
}

/** The continuation of each long request. */
const RULES: readonly ((length: number) => string)[] = [
  hashOfZeros,
  (length) => batchOfLength('eth_chainId', length),
  (length) => batchOfLength('net_version', length),
  (length) => padded('GET / HTTP/1.1\r\nHost: localhost\r\nX: ', 'a', '\r\n\r\n', length),
  (length) => padded('GET /', 'a', ' HTTP/1.1\r\nHost: localhost\r\n\r\n', length),
  (length) =>
    padded(
      'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1d4c0\r\n',
      'x',
      '\r\n0\r\n\r\n',
      length,
    ),
]

function hashOfZeros(length: number): string {
  return padded('{"jsonrpc":"2.0","method":"web3_sha3","params":["0x', '0', '"],"id":1}', length)
}

function batchOfLength(method: string, length: number): string {
  let batch = '['
  for (let id = 0; batch.length < length; id += 1) {
    batch += `${id === 0 ? '' : ','}{"jsonrpc":"2.0","method":"${method}","params":[],"id":${id}}`
    if (batch.length === length - 1) return `${batch}]`
  }
  return ''
}

function padded(before: string, filler: string, after: string, length: number): string {
  return before + filler.repeat(Math.max(0, length - before.length - after.length)) + after
}
