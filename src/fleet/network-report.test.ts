import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseAddress, withChecksum } from '#types/address.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { parseData } from '#types/hex.ts'
import { nodesOf } from './network-directory.ts'
import { formatCauses, type NodeReport, nameNodes, reportNetwork } from './network-report.ts'
import { describeNetwork } from './new-network.ts'
import { writeNewFiles } from './write-new-files.ts'

async function stoppedNetwork(context: TestContext): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-report-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const network = await describeNetwork({
    validators: 2,
    observers: 3,
    chainId: 1337,
    blockPeriodSeconds: 1,
    hasPermissions: false,
    password: undefined,
  })
  writeNewFiles(network.files, directory)
  return directory
}

test('a stopped node is reported with the address of its key', async (context) => {
  const directory = await stoppedNetwork(context)
  const address = 'c94770007dda54cF92009BFF0dE90c06F603a09f'
  writeFileSync(join(directory, 'validator-2/key'), JSON.stringify({ version: 3, address }))
  writeFileSync(join(directory, 'observer-1/key'), 'no key')
  writeFileSync(join(directory, 'observer-2/key'), '{"address":"../../etc/passwd"}')
  rmSync(join(directory, 'observer-3/key'))
  const [plain, ...others] = await reportNetwork(nodesOf(directory))
  const key = readFileSync(join(directory, 'validator-1/key'), 'utf8')
  assert.equal(plain!.address, addressFromPublicKey(publicKeyFromPrivate('secp256k1', parseData(key))))
  assert.deepEqual(
    others.map((report) => report.address),
    [parseAddress(address), undefined, undefined, undefined],
  )
})

test('causes show the name of a node in front of its address', () => {
  const [one, two, stranger] = ['11', 'ab', '33'].map((byte) => parseAddress(byte.repeat(20)))
  const cause = `Silent: ${two} (last heard 5 s ago), ${stranger}, ${withChecksum(two!)}, ${two}ff.`
  const reports: readonly NodeReport[] = [
    { name: 'validator-1', state: 'running', address: one!, cause },
    { name: 'validator-2', state: 'down', address: two! },
  ]
  assert.deepEqual(formatCauses(nameNodes(reports)), [
    `validator-1: Silent: validator-2 ${two} (last heard 5 s ago), ${stranger}, validator-2 ${withChecksum(two!)}, ${two}ff.`,
  ])
})
