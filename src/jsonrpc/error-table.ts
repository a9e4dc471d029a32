import { ENGINE_ERRORS } from './engine-errors.ts'
import type { ErrorRow } from './error-row.ts'
import { HISTORY_ERRORS } from './history-errors.ts'

/** Every error of a JSON-RPC answer, under Besu's names. Clients match code and message, so both are frozen. */
export const RPC_ERRORS = {
  INVALID_PARAMS: {
    code: -32602,
    message: 'Invalid params',
    cause: 'A parameter is missing or malformed. Other texts name it: `Invalid address params`.',
    remedy:
      'Compare with the method in [JSON-RPC methods](rpc/index.md). Quantities are hex texts such as `0x10`.',
  },
  INVALID_ACCOUNT_PARAMS: { code: -32602, message: 'Invalid account params' },
  INVALID_ADDRESS_HASH_PARAMS: { code: -32602, message: 'Invalid address hash params' },
  INVALID_ADDRESS_PARAMS: { code: -32602, message: 'Invalid address params' },
  INVALID_BLOCK_PARAMS: {
    code: -32602,
    message: 'Invalid block param (block not found)',
    cause: 'The block number, hash or tag is malformed, or this node does not have the block.',
    remedy: 'Call `eth_blockNumber` and `eth_syncing`: a node that is not in sync lacks recent blocks.',
  },
  INVALID_BLOCK_COUNT_PARAMS: { code: -32602, message: 'Invalid block count params' },
  INVALID_BLOCK_HASH_PARAMS: { code: -32602, message: 'Invalid block hash params' },
  INVALID_BLOCK_INDEX_PARAMS: { code: -32602, message: 'Invalid block index params' },
  INVALID_BLOCK_NUMBER_PARAMS: { code: -32602, message: 'Invalid block number params' },
  INVALID_CALL_PARAMS: { code: -32602, message: 'Invalid call params' },
  INVALID_DATA_PARAMS: { code: -32602, message: 'Invalid data params' },
  INVALID_DATA_HASH_PARAMS: { code: -32602, message: 'Invalid data hash params' },
  INVALID_ENODE_PARAMS: { code: -32602, message: 'Invalid enode params' },
  INVALID_EXTRA_DATA_PARAMS: { code: -32602, message: 'Invalid extra data params' },
  INVALID_FILTER_PARAMS: { code: -32602, message: 'Invalid filter params' },
  INVALID_RETURN_COMPLETE_TRANSACTION_PARAMS: {
    code: -32602,
    message: 'Invalid return complete transaction params',
  },
  INVALID_LOG_FILTER_PARAMS: { code: -32602, message: 'Invalid log filter params' },
  INVALID_LOG_LEVEL_PARAMS: { code: -32602, message: 'Invalid log level params (missing or incorrect)' },
  INVALID_MAX_RESULTS_PARAMS: { code: -32602, message: 'Invalid max results params' },
  INVALID_MIN_GAS_PRICE_PARAMS: { code: -32602, message: 'Invalid min gas price params' },
  INVALID_MIN_PRIORITY_FEE_PARAMS: { code: -32602, message: 'Invalid min priority fee params' },
  INVALID_NONCE_PARAMS: { code: -32602, message: 'Invalid nonce params' },
  INVALID_PARAM_COUNT: {
    code: -32602,
    message: 'Invalid number of params',
    cause: 'The method has fewer or more parameters.',
    remedy: "Compare with the method's page in [JSON-RPC methods](rpc/index.md).",
  },
  INVALID_PENDING_TRANSACTIONS_PARAMS: { code: -32602, message: 'Invalid pending transactions params' },
  INVALID_PLUGIN_NAME_PARAMS: { code: -32602, message: 'Invalid plug in name params' },
  INVALID_POSITION_PARAMS: { code: -32602, message: 'Invalid position params' },
  INVALID_REWARD_PERCENTILES_PARAMS: { code: -32602, message: 'Invalid reward percentiles params' },
  INVALID_STORAGE_KEYS_PARAMS: { code: -32602, message: 'Invalid storage keys params' },
  INVALID_TARGET_GAS_LIMIT_PARAMS: { code: -32602, message: 'Invalid target gas limit params' },
  INVALID_TRACE_CALL_MANY_PARAMS: { code: -32602, message: 'Invalid trace call many params' },
  INVALID_TRACE_NUMBERS_PARAMS: { code: -32602, message: 'Invalid trace numbers params' },
  INVALID_TRACE_TYPE_PARAMS: { code: -32602, message: 'Invalid trace type params' },
  INVALID_TRANSACTION_PARAMS: { code: -32602, message: 'Invalid transaction params (missing or incorrect)' },
  INVALID_TRANSACTION_HASH_PARAMS: { code: -32602, message: 'Invalid transaction hash params' },
  INVALID_TRANSACTION_ID_PARAMS: { code: -32602, message: 'Invalid transaction id params' },
  INVALID_TRANSACTION_INDEX_PARAMS: { code: -32602, message: 'Invalid transaction index params' },
  INVALID_TRANSACTION_LIMIT_PARAMS: { code: -32602, message: 'Invalid transaction limit params' },
  INVALID_TRANSACTION_TRACE_PARAMS: { code: -32602, message: 'Invalid transaction trace params' },
  INVALID_VOTE_TYPE_PARAMS: { code: -32602, message: 'Invalid vote type params' },
  INVALID_TRANSACTION_TYPE: { code: -32602, message: 'Invalid transaction type' },
  PARSE_ERROR: {
    code: -32700,
    message: 'Parse error',
    cause: 'The request body is not JSON, or it is nested too deeply.',
    remedy: 'Send one JSON object or a list of them. In a shell, quote the body.',
  },
  INVALID_REQUEST: {
    code: -32600,
    message: 'Invalid Request',
    cause: 'The JSON is not a request: `jsonrpc`, `method` or `id` is missing or of another type.',
    remedy: 'Send `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}`.',
  },
  METHOD_NOT_FOUND: {
    code: -32601,
    message: 'Method not found',
    cause: 'Cairn has no method of this name, or its plugin is not loaded.',
    remedy:
      'Check the spelling in [JSON-RPC methods](rpc/index.md); `cairn plugins list` shows plugins and their methods.',
  },
  INTERNAL_ERROR: {
    code: -32603,
    message: 'Internal error',
    cause:
      'A bug, or an engine thread that ended because the request used too much memory; the reason in parentheses says so.',
    remedy: "Look for `Method failed` in the node's log and report it. After an ended thread, request less.",
  },
  TIMEOUT_ERROR: {
    code: -32603,
    message: 'Timeout expired',
    cause: 'The request took longer than its timeout, or the client closed the connection.',
    remedy:
      'Request a smaller range or trace. Operators can raise `--Xhttp-timeout-seconds` or `--Xws-timeout-seconds`.',
  },
  METHOD_NOT_ENABLED: {
    code: -32604,
    message: 'Method not enabled',
    cause:
      "The port does not serve the method's API, which is the name before `_`. Subscriptions need WebSocket. `eth_coinbase` needs a node that produces blocks, `admin_auditLog` an authenticated user.",
    remedy: 'Add the API to `--rpc-http-api` or `--rpc-ws-api` and restart the node.',
  },
  UNKNOWN_BLOCK: {
    code: -39001,
    message: 'Unknown block',
    cause: 'This node does not have a block with that hash or number.',
    remedy: 'Compare the number with `eth_blockNumber`. After a reorg, look up the hash again.',
  },
  RESOURCE_NOT_FOUND: {
    code: -32001,
    message: 'Resource not found',
    cause: 'Blocks of the supported forks have no access list.',
    remedy: 'Do not call `eth_getBlockAccessList`; transactions have their own `accessList`.',
  },
  ETH_SEND_TX_NOT_AVAILABLE: {
    code: -32604,
    message:
      'The method eth_sendTransaction is not supported. Use eth_sendRawTransaction to send a signed transaction to Besu.',
    isClear: true,
  },
  ETH_SEND_TX_ALREADY_KNOWN: {
    code: -32000,
    message: 'Known transaction',
    cause: 'The pool already has this transaction.',
    remedy: 'Wait for its receipt. `txpool_explain` says why it waits.',
  },
  ETH_SEND_TX_REPLACEMENT_UNDERPRICED: {
    code: -32000,
    message: 'Replacement transaction underpriced',
    cause:
      'The pool has another transaction with this sender and nonce, and the new one does not raise its fees enough.',
    remedy:
      'Raise `maxFeePerGas` and `maxPriorityFeePerGas`, or `gasPrice`, by the percentage of `--tx-pool-price-bump` (10 by default).',
  },
  P2P_DISABLED: {
    code: -32000,
    message: 'P2P has been disabled. This functionality is not available',
    cause: 'The node runs without peers (`--p2p-enabled=false`).',
    remedy: 'Enable peers, or ask another node.',
  },
  P2P_NETWORK_NOT_RUNNING: {
    code: -32000,
    message: 'P2P network is not running',
    cause: 'The peers thread has not started, or it ended and restarts.',
    remedy: "Retry. If it persists, read the node's log.",
  },
  FILTER_NOT_FOUND: {
    code: -32000,
    message: 'Filter not found',
    cause:
      'No client polled the filter for `--rpc-filter-timeout-seconds` (120 by default), the node restarted, or another node created the filter.',
    remedy:
      'Create the filter again. Behind a load balancer, send all polls of a filter to one node, or use subscriptions.',
  },
  LOGS_FILTER_NOT_FOUND: {
    code: -32000,
    message: 'Logs filter not found',
    cause: 'The filter expired, or it is not a filter for logs.',
    remedy: 'Create it again with `eth_newFilter`.',
  },
  SUBSCRIPTION_NOT_FOUND: {
    code: -32000,
    message: 'Subscription not found',
    cause: 'The subscription belongs to another connection or has ended.',
    remedy: 'Unsubscribe on the connection that subscribed.',
  },
  NONCE_TOO_LOW: {
    code: -32001,
    message: 'Nonce too low',
    cause: 'A block already contains a transaction of this sender with this nonce.',
    remedy: 'Take the nonce from `eth_getTransactionCount` with `pending`.',
  },
  INVALID_TRANSACTION_SIGNATURE: {
    code: -32002,
    message: 'Invalid signature',
    cause: 'The signature does not yield a sender.',
    remedy: 'Sign the transaction again, with the chain id of `eth_chainId`.',
  },
  INTRINSIC_GAS_EXCEEDS_LIMIT: {
    code: -32003,
    message: 'Intrinsic gas exceeds gas limit',
    cause:
      'The gas limit does not cover the base cost: 21,000, and more for data, access lists and new contracts.',
    remedy: 'Take the gas limit from `eth_estimateGas`.',
  },
  TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE: {
    code: -32004,
    message: 'Upfront cost exceeds account balance',
    cause: 'The balance does not cover the value plus the gas limit times the maximum fee.',
    remedy:
      'Fund the account, or lower the value, gas limit or fee. If gas is free on the network, send a fee of 0.',
  },
  EXCEEDS_BLOCK_GAS_LIMIT: {
    code: -32005,
    message: 'Transaction gas limit exceeds block gas limit',
    cause: "No block has room for the transaction's gas limit.",
    remedy:
      'Lower the gas limit: `eth_getBlockByNumber` shows the `gasLimit` of blocks. Validators can raise it with `--target-gas-limit`.',
  },
  EXCEEDS_TRANSACTION_GAS_LIMIT: {
    code: -32005,
    message: 'Transaction gas limit cap exceeded',
    cause: 'From Osaka on, a transaction may have a gas limit of at most 16,777,216 (EIP-7825).',
    remedy: 'Lower the gas limit, or divide the work between transactions.',
  },
  EXCEEDS_RPC_MAX_ACTIVE_SUBSCRIPTIONS: {
    code: -32005,
    message: 'Maximum number of active subscriptions exceeded',
    cause:
      'The connection, or all connections together, have too many subscriptions, or they name too many addresses and topics.',
    remedy:
      'Unsubscribe from unused ones or open another connection. Operators can raise `--rpc-ws-max-active-subscriptions`.',
  },
  EXCEEDS_RPC_MAX_BLOCK_RANGE: {
    code: -32005,
    message: 'Requested range exceeds maximum RPC range limit',
    cause:
      'The query spans more blocks than `--rpc-max-logs-range` (5,000 by default) or `--rpc-max-trace-filter-range` (1,000).',
    remedy: 'Divide the range into several queries. Operators can raise the limit; 0 removes it.',
  },
  EXCEEDS_RPC_MAX_LOGS_BLOCKS: {
    code: -32005,
    message: 'Log query would read too many blocks',
    cause:
      'More blocks of the range may contain matching logs than `--rpc-max-logs-blocks` allows. The index was asked before a block was read.',
    remedy:
      "Query the range in the error's `data` first, then the rest, or name more addresses and topics. Operators can raise the limit; 0 removes it.",
  },
  EXCEEDS_RPC_MAX_BATCH_SIZE: {
    code: -32005,
    message: 'Number of requests exceeds max batch size',
    cause: 'The batch has more requests than `--rpc-http-max-batch-size` (1,024 by default).',
    remedy: 'Send several smaller batches.',
  },
  EXCEEDS_RPC_MAX_ACTIVE_FILTERS: {
    code: -32005,
    message: 'Maximum number of active filters exceeded',
    cause: 'Clients created `--rpc-max-active-filters` filters (1,000 by default) and still poll them.',
    remedy:
      'Remove filters with `eth_uninstallFilter`; unpolled ones expire. Use subscriptions for many clients.',
  },
  NONCE_TOO_HIGH: {
    code: -32006,
    message: 'Nonce too high',
    cause: 'The simulated transaction skips nonces of its sender.',
    remedy: 'Omit the nonce, or take it from `eth_getTransactionCount`.',
  },
  TX_SENDER_NOT_AUTHORIZED: {
    code: -32007,
    message: 'Sender account not authorized to send transactions',
    cause: 'The sender is not on the accounts allowlist, or it is a contract.',
    remedy:
      'Add the account with `perm_addAccountsToAllowlist` on every node that should accept it ([permissioning](../operate/permissioning.md)).',
  },
  GAS_PRICE_TOO_LOW: {
    code: -32009,
    message: 'Gas price below configured minimum gas price',
    cause: 'The fee is below `--tx-pool-min-gas-price`, which is `--min-gas-price` (1,000 wei) by default.',
    remedy:
      'Offer at least `eth_gasPrice`. On a network with free gas, start every node with `--min-gas-price=0`.',
  },
  GAS_PRICE_BELOW_CURRENT_BASE_FEE: {
    code: -32009,
    message: 'Gas price below current base fee',
    cause: 'The maximum fee is below the base fee of the next block.',
    remedy: 'Offer at least twice the `baseFeePerGas` of the latest block, since it may rise.',
  },
  BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE: {
    code: -32009,
    message: 'blob gas price below current blob base fee',
    isClear: true,
  },
  WRONG_CHAIN_ID: {
    code: -32000,
    message: 'Wrong chainId',
    cause: 'The transaction is signed for another network.',
    remedy: 'Sign it with the chain id that `eth_chainId` returns.',
  },
  REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED: {
    code: -32000,
    message: 'ChainId not supported',
    cause:
      'The transaction has a chain id, and the network has not reached the fork that introduced them (EIP-155).',
    remedy:
      'Sign it without a chain id, or set `eip158Block` or a later fork in the genesis file of a new network.',
  },
  REPLAY_PROTECTED_SIGNATURE_REQUIRED: {
    code: -32000,
    message: 'ChainId is required',
    cause: 'The transaction has no chain id, and the node runs with `--strict-tx-replay-protection-enabled`.',
    remedy: 'Sign it with the chain id that `eth_chainId` returns.',
  },
  TX_FEECAP_EXCEEDED: {
    code: -32000,
    message: 'Transaction fee cap exceeded',
    cause: 'The gas limit times the price exceeds `--rpc-tx-feecap` (1 ether by default).',
    remedy: 'Lower the gas limit or the price. Operators can raise the cap; 0 removes it.',
  },
  REVERT_ERROR: {
    code: 3,
    message: 'Execution reverted',
    cause:
      'The contract reverted; the reason in parentheses is its message, and `data` has the encoded error.',
    remedy: "Decode `data` with the contract's ABI, or trace the call with `debug_traceCall`.",
  },
  TRANSACTION_NOT_FOUND: {
    code: -32000,
    message: 'Transaction not found',
    cause: 'No block of this node contains the transaction.',
    remedy: 'Wait until `eth_getTransactionReceipt` returns a receipt.',
  },
  MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS: {
    code: -32000,
    message: 'Max priority fee per gas exceeds max fee per gas',
    isClear: true,
  },
  NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER: {
    code: -32000,
    message: 'Transaction nonce is too distant from current sender nonce',
    cause:
      'Earlier nonces of the sender are missing, and the gap exceeds `--tx-pool-max-future-by-sender` (200 by default), or the sender fills its share of the pool.',
    remedy: 'Send the missing transactions first; `txpool_explain` names them.',
  },
  TOTAL_BLOB_GAS_TOO_HIGH: { code: -32000, message: 'Total blob gas too high', isClear: true },
  PLUGIN_TX_POOL_VALIDATOR: {
    code: -32000,
    message: 'Plugin has marked the transaction as not acceptable by the transaction pool',
    cause: 'An admission rule of a plugin refused the transaction; `data` has its message.',
    remedy:
      'Ask the operator for the rule. If the plugin does not answer, its `onFailure` decides ([plugins](../extend/plugins.md)).',
  },
  EXECUTION_HALTED: {
    code: -32000,
    message: 'Transaction processing could not be completed due to an exception',
    cause:
      'The code ran out of gas, met an invalid instruction or jumped to a wrong place; the reason in parentheses says which.',
    remedy:
      'Raise the gas of the call, or compile the contract for a fork that the network has reached (`evmVersion` of solc).',
  },
  UNSUPPORTED_FORK: {
    code: -38005,
    message: 'Unsupported fork',
    cause:
      'The block is in a fork that this version of Cairn does not know, or that the version of an `engine_` method is not for; `data` says which.',
    remedy:
      'Remove the fork from the genesis file, or update Cairn. The consensus client must have the same fork times.',
  },
  FORKING_UNSUPPORTED: {
    code: -32004,
    message: 'Forking is not supported',
    cause: 'A development chain has its own state and reads none from another network.',
    remedy:
      'Write the needed accounts with `anvil_setCode` and `anvil_setStorageAt`, or load them with `anvil_loadState`.',
  },
  TARGET_GAS_LIMIT_MODIFICATION_UNSUPPORTED: {
    code: -32011,
    message: "The node is not attempting to target a gas limit so the target can't be changed",
    cause: 'The requested gas limit is below 5,000, the minimum of a block.',
    remedy: 'Request a higher one.',
  },
  NO_ACCOUNT_FOUND: { code: -32000, message: 'Account not found', isClear: true },
  BLOCK_NOT_FOUND: {
    code: -32000,
    message: 'Block not found',
    cause: 'This node does not have the block.',
    remedy: 'Compare with `eth_blockNumber` and `eth_syncing`.',
  },
  PARENT_BLOCK_NOT_FOUND: { code: -32000, message: 'Parent block not found', isClear: true },
  GENESIS_BLOCK_NOT_TRACEABLE: { code: -32000, message: 'genesis is not traceable', isClear: true },
  ACCOUNT_ALLOWLIST_NOT_ENABLED: {
    code: -32000,
    message: 'Account allowlist has not been enabled',
    cause: 'The node runs without an accounts allowlist, so every account may send.',
    remedy:
      'Start it with `--permissions-accounts-config-file-enabled` ([permissioning](../operate/permissioning.md)).',
  },
  ACCOUNT_ALLOWLIST_EMPTY_ENTRY: {
    code: -32000,
    message: 'Request contains an empty list of accounts',
    isClear: true,
  },
  ACCOUNT_ALLOWLIST_INVALID_ENTRY: {
    code: -32000,
    message: 'Request contains an invalid account',
    isClear: true,
  },
  ACCOUNT_ALLOWLIST_DUPLICATED_ENTRY: {
    code: -32000,
    message: 'Request contains duplicate accounts',
    isClear: true,
  },
  ACCOUNT_ALLOWLIST_EXISTING_ENTRY: {
    code: -32000,
    message: 'Cannot add an existing account to allowlist',
    isClear: true,
  },
  ACCOUNT_ALLOWLIST_ABSENT_ENTRY: {
    code: -32000,
    message: 'Cannot remove an absent account from allowlist',
    isClear: true,
  },
  NODE_ALLOWLIST_NOT_ENABLED: {
    code: -32000,
    message: 'Node allowlist has not been enabled',
    cause: 'The node runs without a nodes allowlist, so every node may connect.',
    remedy:
      'Start it with `--permissions-nodes-config-file-enabled` ([permissioning](../operate/permissioning.md)).',
  },
  NODE_ALLOWLIST_EMPTY_ENTRY: {
    code: -32000,
    message: 'Request contains an empty list of nodes',
    isClear: true,
  },
  NODE_ALLOWLIST_INVALID_ENTRY: { code: -32000, message: 'Request contains an invalid node', isClear: true },
  /** The specification's text for an enode with a host name when DNS is off. */
  NODE_ALLOWLIST_HOST_NAME: {
    code: -32000,
    message: 'request contains an invalid node',
    cause: 'The enode URL has a host name, and the node does not resolve names.',
    remedy: 'Use an IP address, or start the node with `--Xdns-enabled`.',
  },
  NODE_ALLOWLIST_DUPLICATED_ENTRY: {
    code: -32000,
    message: 'Request contains duplicate nodes',
    isClear: true,
  },
  NODE_ALLOWLIST_EXISTING_ENTRY: {
    code: -32000,
    message: 'Cannot add an existing node to allowlist',
    isClear: true,
  },
  NODE_ALLOWLIST_MISSING_ENTRY: {
    code: -32000,
    message: 'Cannot remove an absent node from allowlist',
    isClear: true,
  },
  NODE_ALLOWLIST_FIXED_NODE_CANNOT_BE_REMOVED: {
    code: -32000,
    message: 'Cannot remove a fixed node (bootnode or static node) from allowlist',
    cause: 'Bootnodes and static nodes are always permitted.',
    remedy:
      'Remove the node from `--bootnodes` or the static nodes file and restart, then remove it from the list.',
  },
  ALLOWLIST_PERSIST_FAILURE: {
    code: -32000,
    message: 'Unable to persist changes to allowlist configuration file. Changes reverted',
    cause: 'The permissions file or its directory cannot be written.',
    remedy: "Check the disk and the rights of the node's user, then repeat the call.",
  },
  ALLOWLIST_FILE_SYNC: {
    code: -32000,
    message:
      'The permissioning allowlist configuration file is out of sync.  The changes have been applied, but not persisted to disk',
    cause: 'The file changed after the node read it.',
    remedy:
      'Compare the file with `perm_getAccountsAllowlist` and `perm_getNodesAllowlist`, correct it and call `perm_reloadPermissionsFromFile`.',
  },
  // Own error: a long list must not keep the main thread busy.
  ALLOWLIST_TOO_LONG: {
    code: -32000,
    message:
      'The permissioning allowlist configuration file is too long to be changed by methods. Edit the file and reload it',
    isClear: true,
  },
  ALLOWLIST_RELOAD_ERROR: {
    code: -32000,
    message:
      'Error reloading permissions file. Please use perm_getAccountsAllowlist and perm_getNodesAllowlist to review the current state of the allowlists',
    cause: 'The permissions file is missing or malformed. The node keeps the previous lists.',
    remedy: 'Run `cairn doctor`, which names the mistake, and reload.',
  },
  PERMISSIONING_NOT_ENABLED: {
    code: -32000,
    message: 'Node/Account allowlist has not been enabled',
    cause: 'The node runs without allowlists.',
    remedy:
      'Start it with `--permissions-accounts-config-file-enabled` or `--permissions-nodes-config-file-enabled`.',
  },
  NON_PERMITTED_NODE_CANNOT_BE_ADDED_AS_A_PEER: {
    code: -32000,
    message: 'Cannot add a non-permitted node as a peer',
    cause: 'The nodes allowlist does not have the node.',
    remedy: 'Call `perm_addNodesToAllowlist` first.',
  },
  UNAUTHORIZED: {
    code: -40100,
    message: 'Unauthorized',
    cause:
      'The token is missing, expired or from another transport, or it does not grant the method. Tokens of `/login` expire after five minutes, and when the node restarts.',
    remedy:
      "Log in again. Operators: the grant is `eth:call` or `eth:*` in the user's `permissions` ([authentication](../operate/authentication.md)).",
  },
  CANT_RESOLVE_PEER_ENODE_DNS: { code: -32100, message: 'Cannot resolve enode DNS hostname', isClear: true },
  DNS_NOT_ENABLED: {
    code: -32100,
    message: 'Enode DNS support is disabled',
    cause: 'The enode URL has a host name, and the node does not resolve names.',
    remedy: 'Use an IP address, or start the node with `--Xdns-enabled`.',
  },
  ENODE_ID_INVALID: {
    code: -32000,
    message:
      "Invalid node ID: node ID must have exactly 128 hexadecimal characters and should not include any '0x' hex prefix.",
    isClear: true,
  },
  JSON_RPC_NOT_CANONICAL_ERROR: {
    code: -32000,
    message: 'Invalid input',
    cause: 'The call names a block by hash with `requireCanonical`, and a reorg replaced the block.',
    remedy: 'Look up the block by its number again.',
  },
  PLUGIN_NOT_FOUND: {
    code: -60000,
    message: 'Plugin not found',
    cause: 'No loaded plugin has this name.',
    remedy: '`cairn plugins list` shows the plugins.',
  },
  // Only for plugins_reloadPluginConfig; the message names the plugins that failed.
  PLUGIN_RELOAD_FAILED: { code: -32000, message: 'A plugin could not be reloaded', isClear: true },
  PLUGIN_INTERNAL_ERROR: {
    code: -32603,
    message: 'Plugin internal error',
    cause: 'The plugin threw, or it does not answer.',
    remedy: "Read the plugin's lines in the node's log; `cairn_plugins_up` shows whether it runs.",
  },
  INVALID_BLOBS: { code: -32603, message: 'blobs failed kzg validation', isClear: true },
  // Texts of single methods, for which Besu has no constants.
  EMPTY_STORAGE_REQUEST: { code: -32602, message: 'empty request' },
  TOO_MANY_STORAGE_SLOTS: { code: -32602, message: 'too many slots (max 1024)' },
  // Own error: Besu has none for a full queue. Code and text are from EIP-1474.
  LIMIT_EXCEEDED: {
    code: -32005,
    message: 'Limit exceeded',
    cause:
      'A queue or limit is full; the reason in parentheses names it: the limits of this user, the engines, the pool, the length of a trace, blocks from the archive.',
    remedy:
      'Retry later, after `retryAfterSeconds` of `data` if present, or request less. Operators: [limits](../operate/limits.md) and [pool](../operate/pool.md).',
  },
  NODE_STARTING: {
    code: -32002,
    message: 'Node is starting',
    cause: 'The part of the node that answers this method has not started.',
    remedy: 'Retry. `/readiness` reports when the node is ready.',
  },
  // Own error: a change that cannot be recorded is refused.
  AUDIT_LOG_UNAVAILABLE: {
    code: -32000,
    message: 'The audit log cannot be written, so nothing was changed; the log of the node says why',
    cause: 'The disk of the audit log is full, or its file cannot be written.',
    remedy:
      'Free space or correct `--audit-log-file` ([audit log](../operate/audit.md)), then repeat the call.',
  },
  // Own error: the requested block is not here yet. EIP-1474 has the code for unavailable resources.
  HEIGHT_NOT_REACHED: {
    code: -32002,
    message: 'Block height not reached',
    cause: 'The request has the header `cairn-min-height`, and this node has not reached that block.',
    remedy: 'Retry, or ask another node ([read replicas](../operate/read-replicas.md)).',
  },
  // Only for eth_sendRawTransactionSync (EIP-7966).
  TRANSACTION_NOT_PROCESSED_IN_TIME: {
    code: 4,
    message: 'The transaction was added to the pool but was not processed in time',
    cause: 'The transaction waits in the pool; `data` has its hash.',
    remedy: 'Poll `eth_getTransactionReceipt`, and do not send it again. `txpool_explain` says why it waits.',
  },
  ...HISTORY_ERRORS,
  ...ENGINE_ERRORS,
  // Only for eth_simulateV1. Besu has codes for them and no constants.
  SIMULATION_NONCE_TOO_LOW: { code: -38010, message: 'Nonce too low', isClear: true },
  SIMULATION_NONCE_TOO_HIGH: { code: -38011, message: 'Nonce too high', isClear: true },
  SIMULATION_BASE_FEE_TOO_LOW: { code: -38012, message: 'BaseFeePerGas too low', isClear: true },
  SIMULATION_INTRINSIC_GAS: { code: -38013, message: 'Intrinsic gas exceeds gas limit', isClear: true },
  SIMULATION_INSUFFICIENT_FUNDS: { code: -38014, message: 'Upfront cost exceeds balance', isClear: true },
  SIMULATION_BLOCK_GAS_EXCEEDED: {
    code: -38015,
    message: 'Transaction gas exceeds block gas limit',
    isClear: true,
  },
  SIMULATION_NUMBERS_NOT_ASCENDING: {
    code: -38020,
    message: 'Block numbers are not ascending',
    isClear: true,
  },
  SIMULATION_TIMES_NOT_ASCENDING: { code: -38021, message: 'Timestamps are not ascending', isClear: true },
  SIMULATION_TOO_MANY_BLOCKS: { code: -38026, message: 'Too many block calls', isClear: true },
  SIMULATION_NO_PRECOMPILE: { code: -32000, message: 'Invalid precompile address', isClear: true },
  // Only for testing_buildBlockV1; the message says what is wrong with the transaction.
  PAYLOAD_TRANSACTION_REFUSED: { code: -32000, message: 'Transaction cannot be in the block', isClear: true },
  SIMULATION_REFUSED: { code: -32603, message: 'Internal error', isClear: true },
} as const satisfies Readonly<Record<string, ErrorRow>>
