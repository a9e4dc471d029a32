/** The switch of the call log (call-log.ts), in memory that all threads share. It is on at first. */

const [ON, OFF] = [0, 1]

export function shareCallLogSwitch(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
}

export function switchCallLog(memory: SharedArrayBuffer, isOn: boolean): void {
  Atomics.store(new Int32Array(memory), 0, isOn ? ON : OFF)
}

export function isCallLogOn(cell: Int32Array): boolean {
  return Atomics.load(cell, 0) === ON
}
