import { Injectable, NotFoundException } from '@nestjs/common';
import { Member } from './entities/member.entity';

@Injectable()
export class MembersService {
  private readonly known = new Map<string, Member>();

  find(id: string): Member {
    const member = this.known.get(id);
    if (!member) {
      throw new NotFoundException();
    }
    return member;
  }
}
