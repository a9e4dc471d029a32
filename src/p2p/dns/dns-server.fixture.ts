/** A DNS server on loopback with TXT records, and signed node lists. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { compressKey } from '#p2p/discv4/node-record.ts'
import type { TestNode } from '#p2p/rlpx/handshake.fixture.ts'
import { sign } from '#types/curve.ts'

const HEADER_BYTES = 12
const PART_BYTES = 255
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export interface TestList {
  readonly url: string
  readonly records: ReadonlyMap<string, string>
}

/** A list of one branch with these records and one with these links, signed by a node's key. */
export function createTestList(
  owner: TestNode,
  domain: string,
  leaves: readonly string[],
  links: readonly string[] = [],
): TestList {
  const { keccak } = owner.parts
  const nameOf = (text: string): string => toBase32(keccak(Buffer.from(text)).subarray(0, 16))
  const branch = `enrtree-branch:${leaves.map(nameOf).join()}`
  const linkBranch = `enrtree-branch:${links.map(nameOf).join()}`
  const signed = `enrtree-root:v1 e=${nameOf(branch)} l=${nameOf(linkBranch)} seq=1`
  const signature = Buffer.from(sign(owner.privateKey, keccak(Buffer.from(signed)))).toString('base64url')
  const entries = [branch, linkBranch, ...leaves, ...links].map(
    (text) => [`${nameOf(text)}.${domain}`, text] as const,
  )
  return {
    url: listUrl(owner, domain),
    records: new Map([[domain, `${signed} sig=${signature}`], ...entries]),
  }
}

export function listUrl(owner: TestNode, domain: string): string {
  return `enrtree://${toBase32(compressKey(owner.publicKey))}@${domain}`
}

/** Resolves with its address; a name without a record does not exist. */
export async function startDnsServer(
  t: TestContext,
  records: ReadonlyMap<string, string>,
  onAsked: (name: string) => void = () => undefined,
): Promise<string> {
  // Names in DNS have no letter case, and resolvers vary it.
  const byName = new Map([...records].map(([name, text]) => [name.toLowerCase(), text]))
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const { name, end } = readName(query)
    onAsked(name.toLowerCase())
    socket.send(answerOf(query, end, byName.get(name.toLowerCase())), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return `127.0.0.1:${socket.address().port}`
}

function readName(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  while (query[at]! > 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
    at += 1 + query[at]!
  }
  // Type and class follow the name.
  return { name: labels.join('.'), end: at + 5 }
}

function answerOf(query: Buffer, end: number, text: string | undefined): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(text === undefined ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(text === undefined ? 0 : 1, 6)
  const question = query.subarray(HEADER_BYTES, end)
  if (text === undefined) return Buffer.concat([header, question])
  const bytes = Buffer.from(text)
  const parts: Buffer[] = []
  for (let from = 0; from < bytes.length; from += PART_BYTES) {
    const part = bytes.subarray(from, from + PART_BYTES)
    parts.push(Buffer.of(part.length), part)
  }
  const data = Buffer.concat(parts)
  // A pointer to the name in the question, type TXT, class IN, and a minute to live.
  const row = Buffer.from('c00c001000010000003c0000', 'hex')
  row.writeUInt16BE(data.length, 10)
  return Buffer.concat([header, question, row, data])
}

function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}
