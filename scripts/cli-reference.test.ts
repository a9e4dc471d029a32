import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINE_METHODS } from '#api/engine-methods.generated.ts'
import { METHODS } from '#api/methods.generated.ts'
import { ROOMS } from '#layers.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'

test('no option is inert or refused because of a feature that exists', () => {
  const existing = new Set([
    ...Object.keys(ROOMS).map((room) => `room ${room}`),
    ...[...METHODS, ...ENGINE_METHODS].map(({ name }) => `method ${name}`),
  ])
  for (const { flag, inert, refused } of ALL_OPTIONS) {
    const until = (inert ?? refused)?.until
    if (until === undefined) continue
    assert.match(until, /^(room|method) \w+$/, flag)
    assert.ok(!existing.has(until), `${flag} waits for ${until}, which exists: give the option a meaning`)
  }
})
