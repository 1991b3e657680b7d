const { Pool } = require('pg')

class ParcelRepository {
  constructor(pool) {
    this.pool = pool
  }

  async byId(id) {
    const { rows } = await this.pool.query('select * from parcels where id = $1', [id])
    return rows[0]
  }

  async insert(parcel) {
    await this.pool.query('insert into parcels (id, weight) values ($1, $2)', [parcel.id, parcel.weight])
    return parcel
  }
}

module.exports = new ParcelRepository(new Pool())
