// between and after the transactions of block 4
>> {"jsonrpc":"2.0","id":1,"method":"debug_storageRangeAt","params":["0x4",0,"0x3333333333333333333333333333333333333333","0x0",10]}
<< {"jsonrpc":"2.0","id":1,"result":{"storage":{"0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563":{"key":"0x0000000000000000000000000000000000000000000000000000000000000000","value":"0x000000000000000000000000000000000000000000000000000000000000002a"}},"complete":true}}
>> {"jsonrpc":"2.0","id":2,"method":"debug_storageRangeAt","params":["0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5",1,"0x3333333333333333333333333333333333333333","0x0",10]}
<< {"jsonrpc":"2.0","id":2,"result":{"storage":{"0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563":{"key":"0x0000000000000000000000000000000000000000000000000000000000000000","value":"0x000000000000000000000000000000000000000000000000000000000000002b"}},"complete":true}}
// none of them
>> {"jsonrpc":"2.0","id":3,"method":"debug_storageRangeAt","params":["0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5",1,"0x3333333333333333333333333333333333333333","0x0",0]}
<< {"jsonrpc":"2.0","id":3,"result":{"storage":{},"nextKey":"0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563","complete":false}}
// an account without storage, a block that is not there
>> {"jsonrpc":"2.0","id":4,"method":"debug_storageRangeAt","params":["0x4",0,"0x2222222222222222222222222222222222222222","0x0",10]}
<< {"jsonrpc":"2.0","id":4,"result":{"storage":{},"complete":true}}
>> {"jsonrpc":"2.0","id":5,"method":"debug_storageRangeAt","params":["0x99",0,"0x2222222222222222222222222222222222222222","0x0",10]}
<< {"jsonrpc":"2.0","id":5,"result":{"storage":{},"complete":true}}
>> {"jsonrpc":"2.0","id":6,"method":"debug_storageRangeAt","params":[]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
