/** geth's devp2p test tool against Cairn's discovery and RLPx. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { loadCrypto } from '#evm/crypto.ts'
import { testProtocol } from '#p2p/peers/peers.fixture.ts'
import { startTestPeers } from '#p2p/start-peers.fixture.ts'
import { formatEnode } from '#types/enode.ts'
import { findGethProgram } from '../../support/geth-program.ts'

const devp2p = findGethProgram('devp2p')
const skip = devp2p === undefined && 'Go is missing, which builds the devp2p tool of geth'
const run = promisify(execFile)

const { recover } = await loadCrypto()
const { running } = await startTestPeers(
  { clientId: 'cairn/interop' },
  { recover, protocols: [testProtocol('eth', 68)] },
)
const enode = formatEnode(running.enode)
after(() => running.stop())

test('geth reads our HELLO', { skip }, async () => {
  const { stdout } = await run(devp2p!, ['rlpx', 'ping', enode])
  assert.match(stdout, /Version:5 Name:cairn\/interop Caps:\[eth\/68\]/)
})

test('every test of discovery v4 of geth passes', { skip }, async () => {
  const listeners = ['--listen1', '127.0.0.1', '--listen2', '127.0.0.2']
  const { stdout } = await run(devp2p!, ['discv4', 'test', ...listeners, '--remote', enode])
  assert.match(stdout, /\b15\/15 tests passed/)
})
