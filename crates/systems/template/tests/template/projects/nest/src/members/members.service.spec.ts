import { MembersService } from './members.service';

describe('MembersService', () => {
  it('refuses strangers', () => {
    expect(() => new MembersService().find('x')).toThrow();
  });
});
