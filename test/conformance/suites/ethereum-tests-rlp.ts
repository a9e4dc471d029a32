/** RLP of ethereum/tests: values that must encode and decode, and bytes that must be refused. */
import assert from 'node:assert/strict'
import { Fault } from '#types/fault.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'
import { decodeRlp, encodeRlp, type RlpItem, rlpScalar } from '#types/rlp.ts'
import { outcomeOf, type Pack, type Suite } from '../suite.ts'

type Value = string | number | readonly Value[]

interface Case {
  /** A value, or VALID or INVALID if only the bytes are given. */
  readonly in: Value
  readonly out: string
}

const FOLDER = 'ethereum-tests/RLPTests'

const suite: Suite = {
  name: FOLDER,
  async *run(pack: Pack) {
    for (const path of pack.files(FOLDER)) {
      const cases = pack.json(path) as Record<string, Case>
      const file = path.slice(FOLDER.length + 1)
      for (const [name, vector] of Object.entries(cases)) {
        yield outcomeOf(`${file}#${name}`, () => verify(vector))
      }
    }
  },
}

export default suite

function verify(vector: Case): void {
  const bytes = parseDataLenient(vector.out)
  if (vector.in === 'INVALID') {
    assert.throws(() => decodeRlp(bytes), Fault)
    return
  }
  const decoded = decodeRlp(bytes)
  assert.equal(formatData(encodeRlp(decoded)), formatData(bytes))
  if (vector.in === 'VALID') return
  const item = toItem(vector.in)
  assert.deepEqual(decoded, item)
  assert.equal(formatData(encodeRlp(item)), formatData(bytes))
}

function toItem(value: Value): RlpItem {
  if (typeof value === 'number') return rlpScalar(value)
  if (typeof value !== 'string') return value.map(toItem)
  return value.startsWith('#') ? rlpScalar(BigInt(value.slice(1))) : new TextEncoder().encode(value)
}
