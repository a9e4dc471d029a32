// from the first account, with nonce, gas and prices filled in
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0xde0b6b3a7640000"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x136f2717ab7e337d80f1fc231a24a4cfd5a160f0d9d8bcd04fb3b1cb19caf63a"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionCount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x1"}

// a revert is found before it is sent, unless the gas is given
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","data":"0x60006000fd"}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":3,"message":"Execution reverted","data":"0x"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","data":"0x60006000fd","gas":"0xffff"}]}
<< {"jsonrpc":"2.0","id":4,"result":"0xfc2d6cbf7aa7b01cc1a918b13e9b4cef87692a7b73cdcc7d1a5d7423b3fec243"}

// another account
>> {"jsonrpc":"2.0","id":5,"method":"eth_sendTransaction","params":[{"from":"0x1111111111111111111111111111111111111111","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"Account not found","data":"The node does not sign for 0x1111111111111111111111111111111111111111; eth_accounts lists its accounts."}}

// no transaction
>> {"jsonrpc":"2.0","id":6,"method":"eth_sendTransaction","params":[]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid transaction params (missing or incorrect)"}}
>> {"jsonrpc":"2.0","id":7,"method":"eth_sendTransaction","params":[{"from":"0x1"}]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid call params"}}
