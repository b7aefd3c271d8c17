import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isReachable } from './reachable-address.ts';

it('an address of this machine or of a private network is not reachable, and neither is one without https', () => {
  for (const no of [
    'http://talkboard.example',
    'https://127.0.0.1:3000',
    'https://localhost',
    'https://talkboard',
    'https://10.1.2.3',
    'https://172.20.0.5',
    'https://192.168.1.4:8443',
    'https://100.64.0.1',
    'https://[::1]:3000',
    'https://[fd00::1]',
    'https://shop.local',
  ]) {
    assert.equal(isReachable(no), false, no);
  }
  for (const yes of [
    'https://talkboard.example/connect/1',
    'https://10.example.com',
    'https://172.32.0.5',
    'https://203.0.113.7:8443',
    'https://[2001:db8::1]',
  ]) {
    assert.equal(isReachable(yes), true, yes);
  }
});
