import { match, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { Joining } from './joining.ts'

const inSync = () => Promise.resolve(true)
const behind = () => Promise.resolve(false)
const overdue = { height: 36, stage: 'waitingForProposal', cause: 'Block 36 waits.' } as const
const notDue = { height: 36, stage: 'waitingForTime', cause: 'Block 36 is not due yet.' } as const

test('a restarted validator is not ready before it is in sync', async () => {
  match((await new Joining().reason(notDue, behind)) ?? '', /not been as far as its peers/)
})

test('a validator that is in sync before a block is due is ready, and stays so', async () => {
  const joining = new Joining()
  strictEqual(await joining.reason(notDue, inSync), undefined)
  strictEqual(await joining.reason(overdue, behind), undefined)
})

test('a validator that joins while a block is late is ready after that block', async () => {
  const joining = new Joining()
  match(
    (await joining.reason(overdue, inSync)) ?? '',
    /no block has been made with it since\. Block 36 waits\./,
  )
  match((await joining.reason(overdue, inSync)) ?? '', /no block has been made with it since/)
  strictEqual(await joining.reason({ ...overdue, height: 37 }, inSync), undefined)
})
