import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { markRemoved, nodeNamed, unmarkRemoved } from './network-directory.ts'
import { describeNetwork } from './new-network.ts'
import { TARGETS_FILE, writeTargets } from './scrape-targets.ts'
import { writeNewFiles } from './write-new-files.ts'

test('Prometheus finds validators and observers under their names, except those voted out', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-targets-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const network = await describeNetwork({
    validators: 2,
    observers: 1,
    chainId: 1337,
    blockPeriodSeconds: 1,
    hasPermissions: false,
    password: undefined,
  })
  writeNewFiles(network.files, directory)
  const targets = () =>
    (
      JSON.parse(readFileSync(join(directory, TARGETS_FILE), 'utf8')) as {
        targets: string[]
        labels: { instance: string }
      }[]
    ).map((row) => `${row.labels.instance} ${row.targets.join()}`)
  const port = (name: string) =>
    /metrics-port = (\d+)/.exec(readFileSync(join(directory, name, 'config.toml'), 'utf8'))![1]
  const all = ['validator-1', 'validator-2', 'observer-1'].map((name) => `${name} 127.0.0.1:${port(name)}`)
  assert.deepEqual(targets(), all)

  writeTargets(directory)
  assert.deepEqual(targets(), all)
  const removed = nodeNamed(directory, 'validator-2')
  markRemoved(removed)
  writeTargets(directory)
  assert.deepEqual(targets(), [all[0], all[2]])
  unmarkRemoved(removed)
  for (const [name, config] of [
    ['quiet-1', ''],
    ['wide-1', 'metrics-enabled = true\nmetrics-host = "0.0.0.0"\nmetrics-port = 1'],
    ['wide-2', 'metrics-enabled = true\nmetrics-host = "::1"'],
  ] as const) {
    mkdirSync(join(directory, name))
    writeFileSync(join(directory, name, 'config.toml'), config)
  }
  writeTargets(directory)
  assert.deepEqual(targets(), [...all, 'wide-1 127.0.0.1:1', 'wide-2 [::1]:9545'])
})
