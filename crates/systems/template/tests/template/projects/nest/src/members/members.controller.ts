import { Controller, Get, Param } from '@nestjs/common';
import { MembersService } from './members.service';

@Controller('members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get(':id')
  find(@Param('id') id: string) {
    return this.members.find(id);
  }
}
