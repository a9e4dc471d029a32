/** Keystores of ethereum/tests: each opens with its password only. */
import assert from 'node:assert/strict'
import { decryptKey } from '#platform/keystore.ts'
import { formatDigits } from '#types/hex.ts'
import { outcomeOf, type Pack, type Suite } from '../suite.ts'

interface Case {
  readonly json: unknown
  readonly password: string
  readonly priv: string
}

const FOLDER = 'ethereum-tests/KeyStoreTests'

const suite: Suite = {
  name: FOLDER,
  async *run(pack: Pack) {
    for (const path of pack.files(FOLDER)) {
      for (const [name, vector] of Object.entries(pack.json(path) as Record<string, Case>)) {
        yield outcomeOf(`${path.slice(FOLDER.length + 1)}#${name}`, () => verify(vector))
      }
    }
  },
}

export default suite

function verify({ json, password, priv }: Case): void {
  const text = JSON.stringify(json)
  assert.equal(formatDigits(decryptKey(text, password, 'keystore')), priv)
  assert.throws(() => decryptKey(text, `${password}x`, 'keystore'), { kind: 'KEYSTORE_REFUSED' })
}
