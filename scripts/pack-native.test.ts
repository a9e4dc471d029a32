import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choosePlatforms } from './pack-native.ts'

const ARM = choosePlatforms({ only: 'linux-arm64-gnu' }, undefined)[0]!
const namesOf = (...args: Parameters<typeof choosePlatforms>) =>
  choosePlatforms(...args).map(({ name }) => name)

test('the platform of this machine is packed, unless others are named', () => {
  assert.deepEqual(namesOf({}, ARM), ['linux-arm64-gnu'])
  assert.deepEqual(namesOf({ only: 'linux-x64-gnu' }, ARM), ['linux-x64-gnu'])
  assert.deepEqual(namesOf({ all: true }, ARM), ['linux-x64-gnu', 'linux-arm64-gnu'])
})

test('a platform that is not there is refused with the names of those that are', () => {
  assert.throws(
    () => choosePlatforms({ only: 'linux-x64' }, ARM),
    /no platform linux-x64; there are linux-x64-gnu/,
  )
  assert.throws(
    () => choosePlatforms({}, undefined),
    /no package for this machine; name one of linux-x64-gnu, /,
  )
  assert.throws(() => choosePlatforms({ all: true, only: 'linux-x64-gnu' }, ARM), /either --all or --only/)
})
