/*
 * Measures the cost of a signature: with a key in memory, native and pure JavaScript, and with examples/signer in its own
 * process over HTTP, checked as a node checks it. Requests follow each other on one connection, as in consensus.
 *
 *   npm run bench -- signer [--signatures 2000]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadCrypto } from '#evm/crypto.ts'
import { createLocalNodeKey, type NodeKeyHolder } from '#p2p/node-key.ts'
import { createCheckedNodeKey } from '#p2p/signer/checked-node-key.ts'
import { createHttpSigner } from '#p2p/signer/http-signer.ts'
import { systemClock } from '#platform/clock.ts'
import { newPrivateKey } from '#platform/new-private-key.ts'
import { Secret } from '#platform/secret.ts'
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'

const { values } = parseArgs({ options: { signatures: { type: 'string', default: '2000' } } })
const SIGNER = fileURLToPath(new URL('../examples/signer/signer.ts', import.meta.url))
const WARM = 200

async function measure(name: string, key: Pick<NodeKeyHolder, 'sign'>): Promise<void> {
  const count = Number(values.signatures)
  const times: number[] = []
  for (let index = 0; index < count + WARM; index++) {
    const digest = keccak256(Uint8Array.of(index & 255, index >> 8))
    const start = performance.now()
    await key.sign(digest)
    if (index >= WARM) times.push((performance.now() - start) * 1_000)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(0).padStart(6)
  console.log(`${name.padEnd(28)} ${at(0.5)} ${at(0.99)}`)
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-signer-'))
const keyFile = join(folder, 'key')
const privateKey = newPrivateKey('secp256k1')
writeFileSync(keyFile, formatData(privateKey), { mode: 0o600 })
const child = spawn(process.execPath, [SIGNER, `--key-file=${keyFile}`, '--port=0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const url = /http:\S+/.exec(line.toString())![0]
  const { sign, recover } = await loadCrypto()
  const secret = new Secret(privateKey)
  const local = createLocalNodeKey(secret, sign)
  const config = { url, readToken: undefined, ca: undefined, timeoutMs: 2_000 }
  const signer = createHttpSigner(config, systemClock)
  const checked = createCheckedNodeKey(await local.publicKey(), signer, recover, 'The signer')
  console.log('microseconds a signature       median    99%')
  await measure('in memory, native', local)
  await measure('in memory, pure', createLocalNodeKey(secret))
  await measure('over HTTP', signer)
  await measure('over HTTP, checked', checked)
  signer.close()
} finally {
  child.kill()
  rmSync(folder, { recursive: true })
}
