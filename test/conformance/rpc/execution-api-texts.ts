/**
 * Error texts differ between programs: the text of the program that created the file, and Cairn's text, which is
 * compared too. Keys are paths below execution-apis/tests.
 */
export const OWN_ERROR_TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'debug_getRawBlock/get-invalid-number.io': {
    'invalid argument 0: hex string without 0x prefix': 'Invalid block param (block not found)',
  },
  'debug_getRawHeader/get-invalid-number.io': {
    'invalid argument 0: hex string without 0x prefix': 'Invalid block param (block not found)',
  },
  'debug_getRawReceipts/get-invalid-number.io': {
    'invalid argument 0: hex string without 0x prefix': 'Invalid block param (block not found)',
  },
  'debug_getRawTransaction/get-invalid-hash.io': {
    'invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go value of type common.Hash':
      'Invalid transaction hash params',
  },
  'debug_traceBlockByHash/trace-block-not-found.io': {
    'block 0x0000000000000000000000000000000000000000000000000000000000000001 not found': 'Block not found',
  },
  'debug_traceBlockByNumber/trace-block-invalid-number.io': {
    'invalid argument 0: hex string without 0x prefix': 'Invalid block param (block not found)',
  },
  'debug_traceTransaction/trace-unknown-tx.io': {
    'transaction not found': 'Transaction not found',
  },
  'eth_call/call-revert-abi-error.io': {
    'execution reverted: user error': 'Execution reverted (user error)',
  },
  'eth_call/call-revert-abi-panic.io': {
    'execution reverted: assert(false)': 'Execution reverted',
  },
  'eth_estimateGas/estimate-call-abi-error.io': {
    'execution reverted: user error': 'Execution reverted (user error)',
  },
  'eth_estimateGas/estimate-failed-call.io': {
    'execution reverted': 'Execution reverted',
  },
  'eth_getLogs/filter-error-future-block-range.io': {
    'block range extends beyond current head block': 'Invalid params',
  },
  'eth_getLogs/filter-error-invalid-blockHash-and-range.io': {
    'invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other':
      'Invalid filter params',
  },
  'eth_getLogs/filter-error-reversed-block-range.io': {
    'invalid block range params': 'Invalid params',
  },
  'eth_getStorageAt/get-storage-invalid-key-too-large.io': {
    'storage key too long (want at most 32 bytes): "0x00000000000000000000000000000000000000000000000000000000000000000"':
      'Invalid position params',
  },
  'eth_getStorageAt/get-storage-invalid-key.io': {
    'invalid hex in storage key: "0xasdf"': 'Invalid position params',
  },
  'eth_simulateV1/ethSimulate-add-more-non-defined-BlockStateCalls-than-fit.io': {
    'block numbers must be in order: 155 <= 155':
      'Block number is invalid. Trying to add a call at block number 155, while current block number is 155.',
  },
  'eth_simulateV1/ethSimulate-basefee-too-low-with-validation-38012.io': {
    'err: max fee per gas less than block base fee: address 0xC000000000000000000000000000000000000000, maxFeePerGas: 0, baseFee: 10 (supplied gas 50000000)':
      'gasPrice is less than the current BaseFee',
  },
  'eth_simulateV1/ethSimulate-big-block-state-calls-array.io': {
    'too many blocks': 'Too many block calls',
  },
  'eth_simulateV1/ethSimulate-block-num-order-38020.io': {
    'block numbers must be in order: 144 <= 154': 'Block numbers are not ascending',
  },
  'eth_simulateV1/ethSimulate-block-override-reflected-in-contract-simple.io': {
    'block timestamps must be in order: 550 <= 588':
      'Timestamp is invalid. Trying to add a call at timestamp 550, while current timestamp is 588.',
  },
  'eth_simulateV1/ethSimulate-block-override-reflected-in-contract.io': {
    'block timestamps must be in order: 550 <= 588': 'Timestamps are not ascending',
  },
  'eth_simulateV1/ethSimulate-block-timestamp-auto-increment.io': {
    'block timestamps must be in order: 552 <= 563':
      'Timestamp is invalid. Trying to add a call at timestamp 552, while current timestamp is 563.',
  },
  'eth_simulateV1/ethSimulate-block-timestamp-non-increment.io': {
    'block timestamps must be in order: 552 <= 552': 'Timestamps are not ascending',
  },
  'eth_simulateV1/ethSimulate-block-timestamp-order-38021.io': {
    'block timestamps must be in order: 551 <= 552': 'Timestamps are not ascending',
  },
  'eth_simulateV1/ethSimulate-check-invalid-nonce.io': {
    'err: max fee per gas less than block base fee: address 0xC000000000000000000000000000000000000000, maxFeePerGas: 0, baseFee: 1 (supplied gas 50000000)':
      'gasPrice is less than the current BaseFee',
  },
  'eth_simulateV1/ethSimulate-empty-with-block-num-set-plus1.io': {
    'header not found': 'Block not found',
  },
  'eth_simulateV1/ethSimulate-eth-send-should-not-produce-logs-on-revert.io': {
    'execution reverted: Always reverting contract': 'Execution reverted (Always reverting contract)',
  },
  'eth_simulateV1/ethSimulate-eth-send-should-produce-no-logs-on-forward-revert.io': {
    'execution reverted': 'Execution reverted',
  },
  'eth_simulateV1/ethSimulate-fee-recipient-receiving-funds.io': {
    'execution reverted': 'Execution reverted',
  },
  'eth_simulateV1/ethSimulate-gas-fees-and-value-error-38014-with-validation.io': {
    'err: max fee per gas less than block base fee: address 0xC000000000000000000000000000000000000000, maxFeePerGas: 0, baseFee: 23985819 (supplied gas 50000000)':
      'gasPrice is less than the current BaseFee',
  },
  'eth_simulateV1/ethSimulate-gas-fees-and-value-error-38014.io': {
    'err: insufficient funds for gas * price + value: address 0xC000000000000000000000000000000000000000 have 0 want 1000 (supplied gas 50000000)':
      'transaction up-front cost 0x3e8 exceeds transaction sender account balance 0x0 for sender 0xc000000000000000000000000000000000000000',
  },
  'eth_simulateV1/ethSimulate-instrict-gas-38013.io': {
    'err: intrinsic gas too low: have 0, want 21000 (supplied gas 0)':
      'intrinsic gas cost 21000 exceeds gas limit 0',
  },
  'eth_simulateV1/ethSimulate-make-call-with-future-block.io': {
    'header not found': 'Block not found',
  },
  'eth_simulateV1/ethSimulate-move-to-address-itself-reference-38022.io': {
    'account 0xc100000000000000000000000000000000000000 is not a precompile': 'Invalid precompile address',
  },
  'eth_simulateV1/ethSimulate-move-two-non-precompiles-accounts-to-same.io': {
    'account 0x0100000000000000000000000000000000000000 is not a precompile': 'Invalid precompile address',
  },
  'eth_simulateV1/ethSimulate-overflow-nonce-validation.io': {
    'err: nonce has max value: address 0xC000000000000000000000000000000000000000, nonce: 18446744073709551615 (supplied gas 50000000)':
      'Nonce must be less than 2^64-1',
  },
  'eth_simulateV1/ethSimulate-override-address-twice.io': {
    'err: insufficient funds for gas * price + value: address 0xC000000000000000000000000000000000000000 have 0 want 1000 (supplied gas 50000000)':
      'transaction up-front cost 0x3e8 exceeds transaction sender account balance 0x0 for sender 0xc000000000000000000000000000000000000000',
  },
  'eth_simulateV1/ethSimulate-override-all-in-BlockStateCalls.io': {
    'block timestamps must be in order: 550 <= 648':
      'Timestamp is invalid. Trying to add a call at timestamp 550, while current timestamp is 648.',
  },
  'eth_simulateV1/ethSimulate-run-out-of-gas-in-block-38015.io': {
    'out of gas': 'Out of gas',
  },
  'eth_simulateV1/ethSimulate-simple-no-funds-with-balance-querying.io': {
    'err: insufficient funds for gas * price + value: address 0xC000000000000000000000000000000000000000 have 0 want 1000 (supplied gas 49953622)':
      'transaction up-front cost 0x3e8 exceeds transaction sender account balance 0x0 for sender 0xc000000000000000000000000000000000000000',
  },
  'eth_simulateV1/ethSimulate-simple-no-funds-with-validation-without-nonces.io': {
    'err: max fee per gas less than block base fee: address 0xC000000000000000000000000000000000000000, maxFeePerGas: 0, baseFee: 23985819 (supplied gas 50000000)':
      'gasPrice is less than the current BaseFee',
  },
  'eth_simulateV1/ethSimulate-simple-no-funds-with-validation.io': {
    'err: max fee per gas less than block base fee: address 0xC000000000000000000000000000000000000000, maxFeePerGas: 0, baseFee: 23985819 (supplied gas 50000000)':
      'gasPrice is less than the current BaseFee',
  },
  'eth_simulateV1/ethSimulate-simple-no-funds.io': {
    'err: insufficient funds for gas * price + value: address 0xC000000000000000000000000000000000000000 have 0 want 1000 (supplied gas 50000000)':
      'transaction up-front cost 0x3e8 exceeds transaction sender account balance 0x0 for sender 0xc000000000000000000000000000000000000000',
  },
  'eth_simulateV1/ethSimulate-simple-send-from-contract-no-balance.io': {
    'err: insufficient funds for gas * price + value: address 0xC000000000000000000000000000000000000000 have 0 want 1000 (supplied gas 50000000)':
      'transaction up-front cost 0x3e8 exceeds transaction sender account balance 0x0 for sender 0xc000000000000000000000000000000000000000',
  },
  'eth_simulateV1/ethSimulate-simple-send-from-contract-with-validation.io': {
    'err: max fee per gas less than block base fee: address 0xC000000000000000000000000000000000000000, maxFeePerGas: 0, baseFee: 23985819 (supplied gas 50000000)':
      'gasPrice is less than the current BaseFee',
  },
  'eth_simulateV1/ethSimulate-try-to-move-non-precompile.io': {
    'account 0xC000000000000000000000000000000000000000 is not a precompile': 'Invalid precompile address',
  },
  'eth_simulateV1/ethSimulate-use-as-many-features-as-possible.io': {
    'out of gas': 'Out of gas',
  },
  'testing_buildBlockV1/build-block-invalid-transaction.io': {
    'nonce too high: address 0x16c57eDF7Fa9D9525378B0b81Bf8A3cEd0620C1c, tx: 999 state: 0':
      'The transaction has nonce 999, and its sender is at 0.',
  },
}
