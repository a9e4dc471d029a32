import assert from 'node:assert/strict'
import { formatEnode, parseEnode } from '#types/enode.ts'
import type { FuzzTarget } from './target.ts'

const ID = '6f8a80d14311c39f35f516fa664deaaaa13e85b2f7493f37f6144d86991ec012'.repeat(2)
const OPTIONS = { allowHostNames: true }

const target: FuzzTarget = {
  name: 'enode',
  seeds: () =>
    [
      `enode://${ID}@192.168.0.9:4567`,
      `enode://${ID}@10.0.0.1:30303?discport=30301`,
      `ENODE://${ID}@[2001:db8:85a3::8a2e:370:7334]:30303?discport=0`,
      `enode://${ID}@[::ffff:127.0.0.1]:0`,
      `enode://${ID}@node-1.example.org:30303/path#fragment`,
    ].map((text) => new TextEncoder().encode(text)),
  run(input) {
    const enode = parseEnode(new TextDecoder().decode(input), OPTIONS)
    const text = formatEnode(enode)
    assert.deepEqual(parseEnode(text, OPTIONS), enode)
  },
}

export default target
